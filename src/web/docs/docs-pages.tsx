import { Marked } from 'marked';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { ComponentChildren } from 'preact';
import type { DeprecationNoticeDto } from '../../access/deprecation';
import { ERROR_CATALOG } from '../../common/errors';
import { escapeHtml } from '../../common/escape-html';
import { HtmlLayout, renderDocument } from '../../common/html';
import { PROJECT_ROOT } from '../../common/project-root';

/** Page of the documentation: its slug in the URL and its title in the navigation. */
interface DocsPage {
  slug: string;
  title: string;
}

const GUIDE_PAGES: readonly DocsPage[] = [
  { slug: 'getting-started', title: 'Getting started' },
  { slug: 'authentication', title: 'Authentication' },
  { slug: 'oauth', title: 'OAuth for apps' },
  { slug: 'console', title: 'Console' },
  { slug: 'relay', title: 'Relayed calls' },
  { slug: 'invocations', title: 'Long-running commands' },
  { slug: 'agents', title: 'Agents' },
  { slug: 'queued-messages', title: 'Queued messages' },
  { slug: 'errors', title: 'Errors' },
  { slug: 'limits', title: 'Limits' },
  { slug: 'encryption', title: 'Encryption' },
  { slug: 'webhooks', title: 'Webhooks' },
  { slug: 'event-streams', title: 'Event streams' },
  { slug: 'deprecations', title: 'Deprecations' },
];

const REFERENCE_PAGE: DocsPage = { slug: 'reference', title: 'API reference' };

const buildPagePath = ({ slug }: DocsPage) => `/docs/${slug}`;

const NAVIGATION_PAGES = [...GUIDE_PAGES, REFERENCE_PAGE].map((page) => ({
  name: page.title,
  path: buildPagePath(page),
}));

/** Renders a page of the guide. `content` is trusted HTML. */
function renderGuidePage(page: DocsPage, content: string): string {
  return renderDocument(
    <DocsLayout page={page}>
      <article class="guide" dangerouslySetInnerHTML={{ __html: content }} />
    </DocsLayout>,
  );
}

/** Renders the page that Swagger UI fills. */
export function renderReferencePage(): string {
  return renderDocument(
    <DocsLayout
      page={REFERENCE_PAGE}
      stylesheets={['swagger-ui.css']}
      scripts={['swagger-ui-bundle.js', 'reference.js']}
    >
      <div id="reference" />
    </DocsLayout>,
  );
}

interface DocsLayoutProps {
  page: DocsPage;
  /** Files of `/docs/assets`, before the stylesheet of all pages. */
  stylesheets?: readonly string[];
  /** Files of `/docs/assets` that run in this order. */
  scripts?: readonly string[];
  children: ComponentChildren;
}

function DocsLayout({ page, stylesheets = [], scripts = [], children }: DocsLayoutProps) {
  const head = (
    <>
      {[...stylesheets, 'docs.css'].map((file) => (
        <link key={file} rel="stylesheet" href={`/docs/assets/${file}`} />
      ))}
      {scripts.map((file) => (
        <script key={file} src={`/docs/assets/${file}`} defer />
      ))}
    </>
  );
  return (
    <HtmlLayout
      title={page.title}
      homePath="/docs"
      head={head}
      navigation={{ label: 'Documentation', pages: NAVIGATION_PAGES, path: buildPagePath(page) }}
    >
      {children}
    </HtmlLayout>
  );
}

const GUIDE_FOLDER = join(PROJECT_ROOT, 'docs', 'guide');
const EXAMPLE_LINK_LINE = /^\[[^\]]+\]\((examples\/[\w.-]+)\)$/gm;

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${toHeadingAnchor(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
  },
});

/** Returns the anchor of a heading: its words in lower case, joined by hyphens. */
function toHeadingAnchor(heading: string): string {
  return (heading.toLowerCase().match(/\w+/g) ?? []).join('-');
}

/** Renders the pages of docs/guide to HTML. Replaces `{host}` by the public URL. */
export function renderGuide(
  publicUrl: string,
  deprecations: readonly DeprecationNoticeDto[],
): ReadonlyMap<string, string> {
  const generatedParts: Record<string, string> = {
    errors: `<div class="wide">${renderErrorList()}</div>`,
    deprecations: renderDeprecations(deprecations),
  };
  return new Map(
    GUIDE_PAGES.map((page) => {
      const markdown = readFileSync(join(GUIDE_FOLDER, `${page.slug}.md`), 'utf8');
      const resolvedMarkdown = markdown.replaceAll('{host}', escapeHtml(publicUrl));
      const html = marked.parse(inlineExamples(resolvedMarkdown), { async: false });
      // Wide tables scroll on their own instead of the page.
      const htmlWithScrollingTables = html
        .replaceAll('<table>', '<div class="wide"><table>')
        .replaceAll('</table>', '</table></div>');
      return [page.slug, renderGuidePage(page, htmlWithScrollingTables + (generatedParts[page.slug] ?? ''))];
    }),
  );
}

/** Renders a table row per error code, each with the anchor that the `type` of problems links to. */
function renderErrorList(): string {
  const rows = Object.entries(ERROR_CATALOG).map(([code, { status, when, advice }]) => {
    const sentence = `${when[0]!.toUpperCase()}${when.slice(1)}.`;
    const meaning = marked.parseInline(advice ? `${sentence} ${advice}` : sentence, { async: false });
    const link = `<a href="#${code}"><code>${code}</code></a>`;
    return `<tr id="${code}"><td>${status}</td><td>${link}</td><td>${meaning}</td></tr>`;
  });
  return `<h2 id="codes">All codes</h2>
<table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table>`;
}

/** Renders a section per deprecated route, with the anchor that its headers and `GET /me` link to. */
function renderDeprecations(deprecations: readonly DeprecationNoticeDto[]): string {
  if (deprecations.length === 0) return '<p>No route is deprecated.</p>';
  const toDate = (time: number) => new Date(time).toISOString().slice(0, 10);
  return deprecations
    .map(({ id, method, path, message, deprecatedAt, sunsetAt, replacement }) => {
      const sunset =
        sunsetAt === null ? 'The date of its sunset is not decided.' : `Its sunset is on ${toDate(sunsetAt)}.`;
      const successor = replacement === null ? '' : ` Its replacement is <code>${escapeHtml(replacement)}</code>.`;
      return `<h3 id="${id}"><code>${method} ${escapeHtml(path)}</code></h3>
<p>${escapeHtml(message)} Deprecated since ${toDate(deprecatedAt)}. ${sunset}${successor}</p>`;
    })
    .join('\n');
}

/** Replaces each line that contains only a link to an example by the example as a code block. */
function inlineExamples(markdown: string): string {
  return markdown.replace(EXAMPLE_LINK_LINE, (_, path: string) => {
    const code = readFileSync(join(GUIDE_FOLDER, path), 'utf8');
    return `\`\`\`${extname(path).slice(1)}\n${code}\`\`\``;
  });
}
