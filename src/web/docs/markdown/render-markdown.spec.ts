import { renderMarkdown } from './render-markdown';

const render = (markdown: string, resolveLink = (href: string): string | null => href) =>
  renderMarkdown(markdown, resolveLink);
const block = (language: string, code = language) => `\`\`\`${language}\n${code}\n\`\`\``;
const countLabels = (html: string) => [...html.matchAll(/<figcaption><span>([^<]*)</g)].map(([, label]) => label);

describe('a page from Markdown', () => {
  it('has anchors by GitHub’s rule, and a number behind a repeated one', () => {
    const { sections, html } = render('# A page\n\n## `GET /me` & co.\n\n## Limits\n\n### Limits');
    expect(sections.map(({ anchor }) => anchor)).toEqual(['a-page', 'get-me--co', 'limits', 'limits-1']);
    expect(sections[1]!.text).toBe('GET /me & co.');
    expect(html).toContain('<h3 id="limits-1">Limits <a class="anchor" href="#limits-1"');
    expect(html).not.toContain('href="#a-page"');
  });

  it('shows code with colors, a label and a copy button, and ignores words behind the language', () => {
    const { html } = render(block('js title=server.mjs', 'const a = "<b>";'));
    expect(html).toContain(
      '<span>JavaScript</span><button type="button" class="copy" data-copy="" hidden>Copy</button>',
    );
    expect(html).toContain('<span class="t-keyword">const</span>');
    expect(html).toContain('<span class="t-string">&quot;&lt;b&gt;&quot;</span>');
    expect(html).not.toContain('title=');
  });

  it('makes tabs of adjacent blocks in different languages', () => {
    const { html } = render([block('sh'), block('js title=a.mjs'), block('python'), block('go')].join('\n\n'));
    expect(html.match(/<div class="tabs">/g)).toHaveLength(1);
    expect(countLabels(html)).toEqual(['curl', 'JavaScript', 'Python', 'Go']);
  });

  it('makes no tabs of blocks with text between them, of other languages, or of the same language', () => {
    for (const markdown of [
      `${block('sh')}\n\nThen:\n\n${block('js')}`,
      `${block('sh')}\n\n${block('json')}`,
      `${block('sh', 'a')}\n\n${block('sh', 'b')}`,
    ]) {
      expect(render(markdown).html).not.toContain('class="tabs"');
    }
  });

  it('begins another group where a language repeats', () => {
    const { html } = render([block('sh'), block('js'), block('sh'), block('go'), block('json')].join('\n'));
    expect(html.match(/<div class="tabs">/g)).toHaveLength(2);
    expect(countLabels(html)).toEqual(['curl', 'JavaScript', 'curl', 'Go', 'JSON']);
  });

  it('makes tabs within lists', () => {
    expect(
      render(`1. Do:\n\n   ${block('sh').replaceAll('\n', '\n   ')}\n\n   ${block('js').replaceAll('\n', '\n   ')}`)
        .html,
    ).toMatch(/<li>[^]*<div class="tabs">[^]*<\/li>/);
  });

  it('resolves links, and shows only the text of those that lead nowhere', () => {
    const { html } = render('[a](b.md) and [`c`](../d.ts)', (href) => (href === 'b.md' ? '/docs/b?x=1&y=2' : null));
    expect(html).toBe('<p><a href="/docs/b?x=1&amp;y=2">a</a> and <code>c</code></p>\n');
  });

  it('collects the text below each heading for the search, without code blocks and markup', () => {
    const { sections } = render(
      `# A\n\nSee **b** and [c](d).\n\n${block('sh', 'secret')}\n\n- e\n- \`f\`\n\n## B\n\n` +
        '| g | h |\n|---|---|\n| i | j |',
    );
    expect(sections.map(({ content }) => content)).toEqual(['See b and c. e f', 'g h i j']);
  });
});
