import { useEffect, useState } from 'preact/hooks';
import { EmptyState, Table, type TableColumn } from '@external-api/pages';
import { LiveStatus, Problem, RelativeTime } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { useMachineNames } from '../content/machine-names';
import { showInvisibleCharacters } from '../lib/visible-text';
import { AgentName } from './agent-name';
import type { ListedSession } from './listed-session';
import { useSessions } from './session-collection';
import { readListChoice, SessionFilters, writeListChoice, type ListChoice } from './session-filters';
import { createSessionFilter, groupSessions, SESSION_GROUPS } from './session-groups';
import { isCallId } from './session-title';

/** Rows that the page shows at once, and adds when asked for more. */
const SHOWN_ROWS = 100;
/** The service lists sessions by their creation, so this many are read to find those that matter. */
const SORTED_SESSIONS = 1_000;

interface SessionListProps {
  api: AccountApi;
  keys: AccountKeys | null;
}

/** Sessions in groups, what needs the user first, with filters and a search over their decrypted titles. */
export function SessionList({ api, keys }: SessionListProps) {
  const [choice, setChoice] = useState(() => readListChoice(location.search));
  const [shownRows, setShownRows] = useState(SHOWN_ROWS);
  const { filter } = choice;
  const { records: sessions, hasMore, isLoading, problem, streamState, loadMore } = useSessions({ api, keys, filter });
  const isComplete = !hasMore && !isLoading;
  const machineNames = useMachineNames(api);
  const agents = [...new Set(sessions.flatMap(({ agent }) => (agent ? [agent.title] : [])))].sort();
  const found = sessions.filter(createSessionFilter(choice, machineNames));
  const isNarrowed = choice.search.trim() !== '' || [choice.machineId, choice.agent, choice.group].some(Boolean);

  const choose = (chosen: ListChoice) => {
    setChoice(chosen);
    history.replaceState(null, '', location.pathname + writeListChoice(chosen));
  };
  const showMore = () => {
    setShownRows(shownRows + SHOWN_ROWS);
    if (found.length <= shownRows + SHOWN_ROWS) loadMore();
  };
  // The service can't search in encrypted titles, so a search reads all sessions.
  useEffect(() => {
    if ((isNarrowed || sessions.length < SORTED_SESSIONS) && !problem) loadMore();
  });

  return (
    <>
      <SessionFilters choice={choice} machineNames={machineNames} agents={agents} onChoose={choose}>
        <LiveStatus state={streamState} />
      </SessionFilters>
      <Problem text={problem} />
      <SessionGroups sessions={found} shownRows={shownRows} machineNames={machineNames} />
      {found.length === 0 && isComplete && !problem && <NoSessions isNarrowed={isNarrowed} filter={filter} />}
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

interface SessionGroupsProps {
  sessions: readonly ListedSession[];
  shownRows: number;
  machineNames: ReadonlyMap<string, string>;
}

function SessionGroups({ sessions, shownRows, machineNames }: SessionGroupsProps) {
  let left = shownRows;
  return (
    <>
      {groupSessions(sessions).map(([group, members]) => {
        const rows = members.slice(0, left);
        left -= rows.length;
        return rows.length === 0 ? null : (
          <section key={group} class="session-group" aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`}>
              {SESSION_GROUPS[group]} <small>{members.length}</small>
            </h2>
            <Table
              caption={`Sessions: ${SESSION_GROUPS[group]}`}
              columns={createColumns(machineNames)}
              rows={rows}
              getKey={({ id }) => id}
            />
          </section>
        );
      })}
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
  { name: 'Agent', cell: ({ agent }) => <AgentName agent={agent} /> },
  { name: 'Machine', cell: ({ machineId }) => (machineId ? (machineNames.get(machineId) ?? machineId) : '–') },
  { name: 'Messages', cell: ({ messageCount }) => messageCount.toLocaleString(), isNumber: true },
  { name: 'Last active', cell: ({ lastActiveAt }) => <RelativeTime at={lastActiveAt} /> },
];

function NoSessions({ isNarrowed, filter }: { isNarrowed: boolean; filter: ListChoice['filter'] }) {
  if (isNarrowed || filter === 'ended') {
    return (
      <EmptyState heading="No matching sessions">
        <p>Choose another state or search for something else.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState heading={filter === 'all' ? 'No sessions yet' : 'No active sessions'}>
      <p>
        <a href="/console/sessions/new">Start a session</a> of an agent on one of your{' '}
        <a href="/console/machines">machines</a>. Those that scripts start appear here, too.
      </p>
    </EmptyState>
  );
}
