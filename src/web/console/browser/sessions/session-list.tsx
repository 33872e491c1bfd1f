import { useEffect, useState } from 'preact/hooks';
import { EmptyState } from '../../components/empty-state';
import { Table, type TableColumn } from '../../components/table';
import { LiveStatus, Problem, RelativeTime } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import type { MachineRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';
import { AgentName } from './agent-name';
import { SessionBadge } from './session-badge';
import type { ListedSession } from './listed-session';
import { useSessions, type SessionFilter } from './session-collection';
import { isCallId } from './session-title';

/** Rows that the page shows at once, and adds when asked for more. */
const SHOWN_ROWS = 100;

const FILTERS: Record<SessionFilter, string> = { active: 'Active', ended: 'Ended', all: 'All' };

interface SessionListProps {
  api: AccountApi;
  keys: AccountKeys | null;
}

/** Sessions with a filter and a search over their decrypted titles. */
export function SessionList({ api, keys }: SessionListProps) {
  const [filter, setFilter] = useState<SessionFilter>('active');
  const [search, setSearch] = useState('');
  const [shownRows, setShownRows] = useState(SHOWN_ROWS);
  const { records: sessions, hasMore, isLoading, problem, streamState, loadMore } = useSessions({ api, keys, filter });
  const isComplete = !hasMore && !isLoading;
  const machineNames = useMachineNames(api);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = sessions.filter((session) => matchesWords(session, machineNames, words));

  const showMore = () => {
    setShownRows(shownRows + SHOWN_ROWS);
    if (found.length <= shownRows + SHOWN_ROWS) loadMore();
  };
  // The service can't search in encrypted titles, so a search reads all sessions.
  useEffect(() => {
    if (words.length > 0 && !problem) loadMore();
  });

  return (
    <>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          Search
          <input
            type="search"
            value={search}
            placeholder="Title, agent or machine"
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        </label>
        <label>
          State
          <select value={filter} onChange={(event) => setFilter(event.currentTarget.value as SessionFilter)}>
            {Object.entries(FILTERS).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <LiveStatus state={streamState} />
      </form>
      <Problem text={problem} />
      {found.length > 0 && (
        <Table
          caption="Sessions"
          columns={createColumns(machineNames)}
          rows={found.slice(0, shownRows)}
          getKey={({ id }) => id}
        />
      )}
      {found.length === 0 && isComplete && !problem && <NoSessions isFiltered={words.length > 0 || filter !== 'all'} />}
      <p class="more" aria-busy={isLoading}>
        {isLoading && 'Loading …'}
        {!isLoading && (!isComplete || found.length > shownRows) && (
          <button type="button" class="secondary" onClick={showMore}>
            Load more
          </button>
        )}
      </p>
    </>
  );
}

const createColumns = (machineNames: ReadonlyMap<string, string>): readonly TableColumn<ListedSession>[] => [
  {
    name: 'Session',
    cell: ({ id, title, tag }) => (
      <>
        <a href={`/console/sessions/${id}`}>
          <bdi>{showInvisibleCharacters(title)}</bdi>
        </a>
        {title !== tag && !isCallId(tag) && <small>{showInvisibleCharacters(tag)}</small>}
      </>
    ),
  },
  { name: 'State', cell: (session) => <SessionBadge session={session} /> },
  { name: 'Agent', cell: ({ agent }) => <AgentName agent={agent} /> },
  { name: 'Machine', cell: ({ machineId }) => (machineId ? (machineNames.get(machineId) ?? machineId) : '–') },
  { name: 'Messages', cell: ({ messageCount }) => messageCount.toLocaleString(), isNumber: true },
  { name: 'Last active', cell: ({ lastActiveAt }) => <RelativeTime at={lastActiveAt} /> },
];

function NoSessions({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState heading="No matching sessions">
        <p>Choose another state or search for something else.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState heading="No sessions yet">
      <p>
        A session appears here as soon as a machine of yours works on one. <a href="/console/machines">Machines</a>{' '}
        shows how to add a machine and start a session on it.
      </p>
    </EmptyState>
  );
}

/** Names are shown when they arrive. Without them, the list shows ids. */
function useMachineNames(api: AccountApi): ReadonlyMap<string, string> {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    api.getAll<MachineRecord>('/v1/control/machines', { limit: 200 }).then(
      (machines) => setNames(new Map(machines.map(({ id, name }) => [id, name]))),
      () => undefined,
    );
  }, []);
  return names;
}

function matchesWords(session: ListedSession, machineNames: ReadonlyMap<string, string>, words: string[]): boolean {
  const machine = session.machineId ? (machineNames.get(session.machineId) ?? '') : '';
  const text = `${session.title} ${session.tag} ${session.agent?.title ?? ''} ${machine} ${session.id}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
