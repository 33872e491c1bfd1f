import type { PageSection } from '../markdown';
import { buildOperationPath, type ReferenceModel } from '../reference';
import { DOCS_PATH, PAGE_GROUPS, type DocsPage } from './page-catalog';

/**
 * Entry of the search index, an `IndexEntry` of packages/pages. Its names are short, because the index is downloaded.
 */
export interface SearchEntry {
  /** URL with the anchor. */
  u: string;
  /** Heading. */
  h: string;
  /** Page, behind its group. */
  p: string;
  /** Text below the heading. */
  t: string;
}

interface IndexedPage {
  group: string;
  page: DocsPage;
  sections: readonly PageSection[];
}

/** Builds the index: an entry per heading, and one per operation. */
export function buildSearchIndex(pages: readonly IndexedPage[], models: readonly ReferenceModel[]): SearchEntry[] {
  const pageEntries = pages.flatMap(({ group, page, sections }) =>
    sections.map(({ depth, anchor, text, content }) => ({
      u: depth === 1 ? page.path : `${page.path}#${anchor}`,
      h: depth === 1 ? page.title : text,
      p: depth === 1 ? group : `${group} › ${page.title}`,
      t: content,
    })),
  );
  const operationEntries = models.flatMap(({ definition: { title }, tags }) =>
    tags.flatMap((tag) => [
      { u: tag.path, h: tag.name, p: title, t: tag.description },
      ...tag.operations.map((operation) => ({
        u: buildOperationPath(tag, operation),
        h: operation.summary,
        p: `${title} › ${tag.name}`,
        t: `${operation.method} ${operation.path} ${operation.id} ${stripMarkup(operation.description)}`.trim(),
      })),
    ]),
  );
  return [...pageEntries, ...operationEntries];
}

/** Writes the list of pages in the format of llms.txt. */
export function writePageList(
  publicUrl: string,
  descriptionPaths: readonly string[],
  getSections: (page: DocsPage) => readonly PageSection[],
  models: readonly ReferenceModel[],
): string {
  const pages = PAGE_GROUPS.map(({ title, pages: listed }) => {
    const lines = listed.map((page) => {
      const summary = takeFirstSentence(getSections(page)[0]?.content ?? '');
      return `- [${page.title}](${publicUrl}${page.path}.md)${summary ? `: ${summary}` : ''}`;
    });
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  const references = models.map(({ definition: { title, path }, tags }) => {
    const operations = tags.flatMap((tag) =>
      tag.operations.map((operation) => {
        const url = `${publicUrl}${buildOperationPath(tag, operation)}.md`;
        return `- [${operation.summary}](${url}): \`${`${operation.method} ${operation.path}`.trim()}\``;
      }),
    );
    return `## ${title}\n\n${[`- [All operations](${publicUrl}${path}.md)`, ...operations].join('\n')}`;
  });
  const descriptions = descriptionPaths.map((path) => `- [${path}](${publicUrl}${path})`);
  return [
    '# External API',
    "> Plain-HTTP access to an account's end-to-end encrypted coding-agent sessions, machines and artifacts.",
    `People read the same pages at ${publicUrl}${DOCS_PATH}.`,
    ...pages,
    ...references,
    `## Descriptions\n\n${descriptions.join('\n')}`,
  ]
    .join('\n\n')
    .concat('\n');
}

function takeFirstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/.exec(text)?.[0] ?? text;
}

function stripMarkup(markdown: string): string {
  return markdown.replace(/[`*]/g, '').replace(/\s+/g, ' ');
}
