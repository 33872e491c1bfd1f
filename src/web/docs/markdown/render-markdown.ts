import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../../../common/escape-html';
import { renderCodeBlock, renderTabGroup } from './code-block';
import { groupTabs, toCodeBlock, type TabGroupToken } from './group-tabs';

export interface Heading {
  depth: number;
  /** Text without markup. */
  text: string;
  anchor: string;
}

/** Text below a heading, for the search. */
export interface PageSection extends Heading {
  content: string;
}

export interface RenderedMarkdown {
  html: string;
  /** Begins with the title of the page. */
  sections: PageSection[];
}

/** Returns the URL of a link's target, or null for a target that the site doesn't have. */
export type LinkResolver = (href: string) => string | null;

/** Renders trusted Markdown to HTML. A link to a target that the site doesn't have becomes its text. */
export function renderMarkdown(markdown: string, resolveLink: LinkResolver): RenderedMarkdown {
  const sections: PageSection[] = [];
  const createAnchor = createAnchorGenerator();
  const marked = new Marked({
    extensions: [
      { name: 'tabs', renderer: (token) => renderTabGroup((token as unknown as TabGroupToken).blocks) + '\n' },
    ],
    renderer: {
      heading({ tokens, depth }) {
        const text = toPlainText(tokens);
        const anchor = createAnchor(text);
        sections.push({ depth, text, anchor, content: '' });
        const content = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${anchor}">${content}</h1>\n`;
        const label = escapeHtml(`Link to “${text}”`);
        return (
          `<h${depth} id="${anchor}">${content} ` +
          `<a class="anchor" href="#${anchor}" aria-label="${label}">#</a></h${depth}>\n`
        );
      },
      code: (token) => renderCodeBlock(toCodeBlock(token)) + '\n',
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const target = resolveLink(href);
        return target === null ? content : `<a href="${escapeHtml(target)}">${content}</a>`;
      },
    },
  });
  const html = groupTabs(marked.lexer(markdown))
    .map((token) => {
      const part = marked.parser([token]);
      const section = sections.at(-1);
      if (section && token.type !== 'heading') section.content = `${section.content} ${toPlainText([token])}`.trim();
      return part;
    })
    .join('')
    // Wide tables scroll on their own instead of the page.
    .replaceAll('<table>', '<div class="wide"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th>', '<th scope="col">');
  return { html, sections };
}

/** Renders one or more paragraphs without headings, such as a description of the OpenAPI document. */
export function renderDescription(markdown: string, resolveLink: LinkResolver = (href) => href): string {
  return renderMarkdown(markdown, resolveLink).html;
}

/** Returns anchors by GitHub's rule, which links in the repository follow too. A repeated heading gets a number. */
function createAnchorGenerator(): (heading: string) => string {
  const used = new Map<string, number>();
  return (heading) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const count = used.get(anchor) ?? 0;
    used.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
}

/** Returns the text of tokens without markup and without code blocks. */
function toPlainText(tokens: readonly Token[]): string {
  return tokens.map(readTokenText).filter(Boolean).join('').replace(/\s+/g, ' ').trim();
}

function readTokenText(token: Token): string {
  switch (token.type) {
    case 'code':
    case 'tabs':
    case 'html':
      return '';
    case 'list':
      return (token as Tokens.List).items.map((item) => `${toPlainText(item.tokens)} `).join('');
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].flatMap((row) => row.map((cell) => `${toPlainText(cell.tokens)} `)).join('');
    }
    default: {
      const { tokens, text } = token as { tokens?: Token[]; text?: string };
      if (tokens) return tokens.map(readTokenText).join('');
      return text ?? ' ';
    }
  }
}
