import { render } from 'preact-render-to-string';
import { ArtifactPreview } from './artifact-preview';

const show = (mediaType: string, content: string | Uint8Array) => {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return render(<ArtifactPreview content={{ mediaType, bytes }} tag="a" />);
};

describe('the preview of an artifact', () => {
  it.each([
    ['says that the content is empty', 'text/plain', '', 'The content is empty.'],
    ['says that there is none', 'application/pdf', Uint8Array.of(0, 1), 'There is no preview of this type.'],
    ['has the lines of a diff', 'text/x-diff', '@@ -1 +0,0 @@\n-a\n', 'class="diff-line removed"'],
    ['shows what is invisible', 'text/plain', 'a\u202eb', 'a\\u{202e}b</pre>'],
  ])('%s', (_, mediaType, content, expected) => {
    const html = show(mediaType, content);
    expect(html).toContain(expected);
    expect(html).toContain('>Download</button>');
  });
});
