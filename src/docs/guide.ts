import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked } from 'marked';
import { escapeHtml } from '../common/escape-html';
import { errorListHtml } from './error-list';
import { withExamples } from './examples';
import { GUIDE, renderPage } from './page';
import { PROJECT_ROOT } from '../common/project-root';

const FOLDER = join(PROJECT_ROOT, 'docs', 'guide');
const marked = new Marked();

/** The guide's pages as HTML, made once at the start from docs/guide; `{host}` stands for the public URL. */
export function renderGuide(publicUrl: string): Map<string, string> {
  return new Map(
    GUIDE.map((page) => {
      const markdown = readFileSync(join(FOLDER, `${page.slug}.md`), 'utf8');
      const told = markdown.replaceAll('{host}', escapeHtml(publicUrl));
      const html = marked.parse(withExamples(told, FOLDER), { async: false });
      // A wide table scrolls by itself, so that the page does not.
      const framed = html.replaceAll('<table>', '<div class="wide"><table>').replaceAll('</table>', '</table></div>');
      const content = page.slug === 'errors' ? `${framed}<div class="wide">${errorListHtml()}</div>` : framed;
      return [page.slug, renderPage(page, content)];
    }),
  );
}
