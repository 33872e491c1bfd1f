import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { PROJECT_ROOT } from '../../../common/project-root';

/** Page that is written in Markdown. */
export interface DocsPage {
  path: string;
  /** Title in the navigation. */
  title: string;
  /** Markdown file, relative to the project. */
  source: string;
}

interface DocsPageGroup {
  title: string;
  pages: readonly DocsPage[];
}

export const DOCS_PATH = '/docs';
export const FIRST_PAGE_PATH = '/docs/getting-started';
export const REFERENCE_PATH = '/docs/reference';
export const DEVICE_REFERENCE_PATH = '/docs/device-reference';
/** Group whose first entries are the API references. */
export const REFERENCE_GROUP = 'Reference';

const guidePage = (slug: string, title: string): DocsPage => ({
  path: `${DOCS_PATH}/${slug}`,
  title,
  source: `docs/guide/${slug}.md`,
});
const protocolPage = (slug: string, title: string): DocsPage => ({
  path: `${DOCS_PATH}/protocol/${slug}`,
  title,
  source: `docs/protocol/${slug}.md`,
});

/** The pages in the order of the navigation. A page whose file doesn't exist is left out. */
const GROUPS: readonly DocsPageGroup[] = [
  {
    title: 'Start',
    pages: [
      guidePage('getting-started', 'Getting started'),
      guidePage('install', 'Install'),
      guidePage('authentication', 'Authentication'),
      guidePage('tools', 'Clients and tools'),
      guidePage('client', 'TypeScript client'),
      guidePage('cli', 'Command line'),
      guidePage('integrations', 'Integrations'),
      guidePage('console', 'Console'),
    ],
  },
  {
    title: 'Guides',
    pages: [
      guidePage('agents', 'Agents'),
      guidePage('relay', 'Relayed calls'),
      guidePage('invocations', 'Long-running commands'),
      guidePage('queued-messages', 'Queued messages'),
      guidePage('encryption', 'Encryption'),
      guidePage('event-streams', 'Event streams'),
      guidePage('webhooks', 'Webhooks'),
      guidePage('oauth', 'OAuth for apps'),
    ],
  },
  {
    title: REFERENCE_GROUP,
    pages: [
      guidePage('pagination', 'Pagination'),
      guidePage('errors', 'Errors'),
      guidePage('limits', 'Limits'),
      guidePage('versioning', 'Versioning'),
      guidePage('deprecations', 'Deprecations'),
    ],
  },
  {
    title: 'Protocol',
    pages: [
      { path: `${DOCS_PATH}/protocol`, title: 'Overview', source: 'docs/protocol/README.md' },
      protocolPage('external-api', 'External API'),
      protocolPage('device-api', 'Device API'),
      protocolPage('encryption', 'Encryption'),
      protocolPage('relay', 'Relay'),
      protocolPage('agents', 'Agents'),
      protocolPage('invocations', 'Invocations'),
      protocolPage('oauth', 'OAuth'),
      protocolPage('webhooks', 'Webhooks'),
      protocolPage('event-streams', 'Event streams'),
      protocolPage('push', 'Push'),
    ],
  },
];

export const PAGE_GROUPS: readonly DocsPageGroup[] = GROUPS.map(({ title, pages }) => ({
  title,
  pages: pages.filter(({ source }) => existsSync(join(PROJECT_ROOT, source))),
}));

export const DOCS_PAGES: readonly DocsPage[] = PAGE_GROUPS.flatMap(({ pages }) => pages);

/**
 * Returns the URL of a link of a Markdown file, or null if it leads to a file that the site doesn't have, such as
 * source code.
 */
export function resolvePageLink(href: string, { source }: DocsPage): string | null {
  if (/^(#|\/|https?:)/.test(href)) return href;
  const [target, anchor] = href.split('#') as [string, string?];
  const targetSource = posix.join(posix.dirname(source), target);
  const page = DOCS_PAGES.find((each) => each.source === targetSource);
  if (!page) return null;
  return anchor === undefined ? page.path : `${page.path}#${anchor}`;
}
