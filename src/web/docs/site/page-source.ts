import { readFileSync } from 'node:fs';
import { extname, join, dirname } from 'node:path';
import type { DeprecationNoticeDto } from '../../../access/deprecation';
import { ERROR_CATALOG } from '../../../common/errors';
import { PROJECT_ROOT } from '../../../common/project-root';
import { DEVICE_REFERENCE_PATH, REFERENCE_PATH, resolvePageLink, type DocsPage } from './page-catalog';

/** What pages contain besides the text of their files. */
export interface PageFacts {
  /** Replaces `{host}`. */
  publicUrl: string;
  deprecations: readonly DeprecationNoticeDto[];
  /** Paths of the machine-readable descriptions that this service serves. */
  descriptionPaths: readonly string[];
}

const EXAMPLE_LINK_LINE = /^\[[^\][\n]+\]\((examples\/[\w.-]+)\)$/gm;
const LINK = /\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** Reads the Markdown of a page: with the service's URL, examples and generated parts. */
export function readPageSource(page: DocsPage, facts: PageFacts): string {
  const markdown = readFileSync(join(PROJECT_ROOT, page.source), 'utf8').replaceAll('{host}', facts.publicUrl);
  const generatedParts: Record<string, () => string> = {
    'docs/guide/errors.md': listErrors,
    'docs/guide/deprecations.md': () => listDeprecations(facts.deprecations),
    'docs/protocol/README.md': () => listDescriptions(facts),
  };
  const generatedPart = generatedParts[page.source]?.();
  return [inlineExamples(markdown, page), generatedPart].filter((part) => part !== undefined).join('\n');
}

/** Reads the Markdown of a page for readers outside of the site: with absolute links to Markdown. */
export function readPortableSource(page: DocsPage, facts: PageFacts): string {
  return readPageSource(page, facts).replace(LINK, (_, text: string, href: string) => {
    const target = resolvePageLink(href, page);
    return target === null ? text : `[${text}](${toPortableUrl(target, facts.publicUrl)})`;
  });
}

/** Returns Markdown whose links begin at the root of the host with absolute links to Markdown. */
export function makeLinksPortable(markdown: string, publicUrl: string): string {
  return markdown.replace(LINK, (_, text: string, href: string) => `[${text}](${toPortableUrl(href, publicUrl)})`);
}

function toPortableUrl(href: string, publicUrl: string): string {
  return href.startsWith('/') ? publicUrl + href.replace(/^(\/docs\/[\w/.-]+)/, '$1.md') : href;
}

/** Replaces each line that contains only a link to an example by the example as a code block. */
function inlineExamples(markdown: string, { source }: DocsPage): string {
  return markdown.replace(EXAMPLE_LINK_LINE, (_, path: string) => {
    const code = readFileSync(join(PROJECT_ROOT, dirname(source), path), 'utf8');
    return `\`\`\`${extname(path).slice(1)}\n${code}\`\`\``;
  });
}

/** Writes a section per error code, with the anchor that the `type` of problems links to. */
function listErrors(): string {
  const sections = Object.entries(ERROR_CATALOG).map(([code, { status, title, when, advice, exampleDetail }]) => {
    const cause = `${when[0]!.toUpperCase()}${when.slice(1)}.`;
    return [
      `### ${code}`,
      `**${status} ${title}**`,
      [
        `- **Cause:** ${cause}`,
        ...(advice ? [`- **What to do:** ${advice}`] : []),
        `- **Example of \`detail\`:** ${exampleDetail}`,
      ].join('\n'),
    ].join('\n\n');
  });
  return ['## All codes', ...sections].join('\n\n');
}

/** Writes a section per deprecated route, with the anchor that its headers and `GET /me` link to. */
function listDeprecations(deprecations: readonly DeprecationNoticeDto[]): string {
  if (deprecations.length === 0) return 'No route is deprecated.';
  const toDate = (time: number) => new Date(time).toISOString().slice(0, 10);
  return deprecations
    .map(({ id, method, path, message, deprecatedAt, sunsetAt, replacement }) => {
      const sunset =
        sunsetAt === null ? 'The date of its sunset is not decided.' : `Its sunset is on ${toDate(sunsetAt)}.`;
      const successor = replacement === null ? '' : ` Its replacement is \`${replacement}\`.`;
      return `<a id="${id}"></a>

### \`${method} ${path}\`

${message} Deprecated since ${toDate(deprecatedAt)}. ${sunset}${successor}`;
    })
    .join('\n\n');
}

/** Writes the list of the descriptions for machines. */
function listDescriptions({ descriptionPaths }: PageFacts): string {
  const lines = descriptionPaths.map((path) => `- [${path}](${path})`);
  return [
    '## Machine-readable descriptions',
    lines.join('\n'),
    `The [API reference](${REFERENCE_PATH}) displays the OpenAPI description of the External API, and the ` +
      `[device API reference](${DEVICE_REFERENCE_PATH}) that of the device API.`,
  ].join('\n\n');
}
