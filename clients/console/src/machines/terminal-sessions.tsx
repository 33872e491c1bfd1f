import type { AgentSessionSummary, ListAgentSessionsResult } from '@external-api/protocol/portable';
import { useRef, useState } from 'preact/hooks';
import { Table, type TableColumn } from '@external-api/pages';
import { Problem, RelativeTime } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { MachineRecord } from '../content/records';
import { explainCallError, RepeatableCall } from '../content/relayed-call';
import { openPage } from '../lib/form-page';
import { showInvisibleCharacters } from '../lib/visible-text';
import { findObstacle } from './machine-words';

const UNKNOWN = 'Nobody knows whether the session was started. Look for it in the list of sessions below.';
const NOT_LISTED = 'The list did not arrive. Try again.';
const PAGE_SIZE = 20;

interface TerminalSessionsProps {
  api: AccountApi;
  machine: MachineRecord;
}

/** Sessions that the agents of the machine have themselves, and buttons that continue one. */
export function TerminalSessions({ api, machine }: TerminalSessionsProps) {
  const call = useRef(new RepeatableCall());
  const [list, setList] = useState<ListAgentSessionsResult | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const obstacle = findObstacle(machine, 'agent.sessions');
  const path = `/v1/control/machines/${machine.id}`;

  const run = async (work: () => Promise<void>, unknownText: string) => {
    setBusy(true);
    setProblem('');
    await work().catch((error: unknown) => setProblem(explainCallError(error, unknownText)));
    setBusy(false);
  };
  const showPage = (previous: ListAgentSessionsResult | null) =>
    run(async () => {
      const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
      if (previous?.nextCursor) query.set('cursor', previous.nextCursor);
      const page = await api.getResult<ListAgentSessionsResult>(`${path}/agent-sessions?${query.toString()}`);
      const sessions = [...(previous?.sessions ?? []), ...page.sessions];
      setList({ ...page, sessions, problems: [...(previous?.problems ?? []), ...page.problems] });
    }, NOT_LISTED);
  const continueSession = ({ agent, agentSessionId: resume }: AgentSessionSummary, fork: boolean) =>
    run(async () => {
      const body = { agent, resume, fork };
      const { result } = await call.current.post<{ result: { sessionId: string } }>(api, `${path}/sessions`, body);
      await openPage(`/console/sessions/${encodeURIComponent(result.sessionId)}`);
    }, UNKNOWN);

  return (
    <section class="part card">
      <h2>On this machine</h2>
      <p class="hint">
        Sessions that were begun at the terminal of the machine, or elsewhere outside of this service. If one may still
        be open in a terminal, continue a copy: two would write to it otherwise, and a copy leaves it as it is.
      </p>
      <Problem text={problem} />
      {list?.problems.map(({ agent, message }) => (
        <p key={agent} class="hint">
          {showInvisibleCharacters(`${agent}: ${message}`)}
        </p>
      ))}
      {list?.sessions.length === 0 && !list.nextCursor && <p class="none">The agents have no sessions.</p>}
      {list && list.sessions.length > 0 && (
        <Table
          caption="Sessions of the agents"
          columns={createColumns(isBusy, (session, fork) => void continueSession(session, fork))}
          rows={list.sessions}
          getKey={({ agent, agentSessionId }) => `${agent}:${agentSessionId}`}
        />
      )}
      {(!list || list.nextCursor) && (
        <button type="button" disabled={isBusy || obstacle !== ''} onClick={() => void showPage(list)}>
          {isBusy ? 'Asking the machine …' : list ? 'Show more' : 'Show sessions'}
        </button>
      )}
      {obstacle && <p class="hint">{obstacle}</p>}
    </section>
  );
}

function createColumns(
  isBusy: boolean,
  onContinue: (session: AgentSessionSummary, fork: boolean) => void,
): readonly TableColumn<AgentSessionSummary>[] {
  return [
    { name: 'Session', cell: ({ title }) => <bdi>{title === null ? 'Untitled' : showInvisibleCharacters(title)}</bdi> },
    { name: 'Agent', cell: ({ agent }) => showInvisibleCharacters(agent) },
    { name: 'Folder', cell: ({ cwd }) => <bdi>{showInvisibleCharacters(cwd)}</bdi> },
    {
      name: 'Last used',
      cell: ({ updatedAt }) => (updatedAt === null ? '–' : <RelativeTime at={Date.parse(updatedAt)} />),
    },
    {
      name: 'Continue',
      cell: (session) => (
        <>
          {session.canFork && (
            <button type="button" disabled={isBusy} onClick={() => onContinue(session, true)}>
              Continue a copy
            </button>
          )}{' '}
          {session.sessionId === null ? (
            <button type="button" class="plain" disabled={isBusy} onClick={() => onContinue(session, false)}>
              {session.canFork ? 'Continue itself' : 'Continue'}
            </button>
          ) : (
            <a href={`/console/sessions/${session.sessionId}`}>Open</a>
          )}
        </>
      ),
    },
  ];
}
