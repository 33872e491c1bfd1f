/** Search over the console: its pages, sessions, machines, tokens and others, and the documentation. */
import { fetchIndex, rankEntries, SearchDialog, type IndexEntry, type RankedEntry } from '@external-api/pages/browser';
import { AccountApi } from './content/account-api';
import { openAccountKeys } from './content/account-keys';
import type { MachineRecord, SessionRecord } from './content/records';
import { isServiceSuccess, UnreachableError } from './lib/api-client';
import { readPageShell } from './lib/page-shell';
import { showInvisibleCharacters } from './lib/visible-text';
import { toListedSession } from './sessions/listed-session';

const DOCS_INDEX = '/docs/search.json';
const MAX_DOCS_RESULTS = 8;
const PAGE_SIZE = 200;
/** Sessions whose titles are searched, the newest ones. */
const MAX_SESSIONS = 600;

/** Pages that list records by their names. */
const LIST_PAGES = { Tokens: '/console/tokens', Apps: '/console/apps', Webhooks: '/console/webhooks' };

const ACTIONS: readonly (readonly [name: string, path: string])[] = [
  ['New session', '/console/sessions/new'],
  ['New token', '/console/tokens/new'],
  ['New webhook', '/console/webhooks/new'],
  ['New app', '/console/apps/new'],
  ['Documentation', '/docs'],
];

const shell = readPageShell()!;
const api = new AccountApi(shell.csrfToken);
const toEntry = (h: string, u: string, p: string, t = ''): IndexEntry => ({ u, h: showInvisibleCharacters(h), p, t });
const pages = [
  ...[...document.querySelectorAll<HTMLAnchorElement>('#navigation a')].map((link) =>
    toEntry(link.firstChild!.textContent!.trim(), link.getAttribute('href')!, 'Go to'),
  ),
  ...ACTIONS.map(([name, path]) => toEntry(name, path, 'Go to')),
];
let records: IndexEntry[] = [];
let docs: IndexEntry[] = [];

const dialog = new SearchDialog({
  label: 'Search the console',
  hint: 'Type to find pages, sessions, machines, tokens and documentation.',
  load,
  findEntries: (query): RankedEntry[] => {
    if (query.trim() === '') return pages.map((entry) => ({ entry, excerpt: '' }));
    return [...rankEntries([...pages, ...records], query), ...rankEntries(docs, query).slice(0, MAX_DOCS_RESULTS)];
  },
});

export const openSearch = (): void => dialog.open();

/** What can't be read is left out: the rest is still useful. */
async function load(): Promise<void> {
  const loads = [
    readSessions(),
    readMachines(),
    ...Object.entries(LIST_PAGES).map(([group, path]) => readListedRecords(group, path)),
  ];
  const [found] = await Promise.all([
    Promise.allSettled(loads),
    docs.length === 0 && fetchIndex(DOCS_INDEX).then((entries) => (docs = entries)),
  ]);
  records = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

async function readSessions(): Promise<IndexEntry[]> {
  const keys = await openAccountKeys(shell.accountId).catch(() => null);
  const sessions = await api.getAll<SessionRecord>('/v1/sessions', { limit: PAGE_SIZE }, MAX_SESSIONS);
  const listed = await Promise.all(sessions.map((session) => toListedSession(session, keys)));
  return listed.map(({ id, title, agent }) =>
    toEntry(title, `/console/sessions/${id}`, 'Sessions', `${agent?.title ?? ''} ${id}`),
  );
}

async function readMachines(): Promise<IndexEntry[]> {
  const machines = await api.getAll<MachineRecord>('/v1/control/machines', { limit: PAGE_SIZE });
  return machines.map(({ id, name, platform }) => toEntry(name, `/console/machines/${id}`, 'Machines', platform));
}

/**
 * Returns the records that a page lists, such as tokens, which have no route that accepts the login of a browser.
 * @throws UnreachableError
 */
async function readListedRecords(group: string, path: string): Promise<IndexEntry[]> {
  const answer = await fetch(path, { headers: { Accept: 'text/html' }, cache: 'no-store' });
  if (answer.redirected || !isServiceSuccess(answer, 'text/html')) throw new UnreachableError();
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const links = page.querySelectorAll<HTMLAnchorElement>('main table.list td > a:first-child');
  return [...links].map((link) => toEntry(link.textContent.trim(), link.getAttribute('href')!, group));
}
