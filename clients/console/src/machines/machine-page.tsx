import { useMemo, useState } from 'preact/hooks';
import { Table, type TableColumn } from '@external-api/pages';
import { CopyableId, LiveStatus, Problem, RelativeTime } from '../components/elements';
import type { PageContext, PageProps } from '../components/mount-page';
import { useLiveRecords } from '../content/live-records';
import type { InvocationRecord, MachineRecord, SessionRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';
import { AgentName } from '../sessions/agent-name';
import { toListedSession, type ListedSession } from '../sessions/listed-session';
import { SessionBadge } from '../sessions/session-badge';
import { CommandHistory } from './command-history';
import { InvocationList } from './invocation-list';
import { isOffline, MACHINE_EVENTS, MachineState } from './machine-list';
import { describeCapabilities } from './machine-words';
import { RunCommand } from './run-command';
import { StartSession } from './start-session';
import { TerminalSessions } from './terminal-sessions';

export interface MachinePageProps extends PageProps {
  machineId: string;
}

const SESSION_EVENTS = 'session.created,session.updated,session.ended,session.deleted';
/** What changes the activity of a session, for which no event of the session is sent. */
const ACTIVITY_EVENTS = 'turn.started,turn.requires_action,turn.ended,permission.decided';
const EVENT_TYPES = `${MACHINE_EVENTS},invocation.ended,${SESSION_EVENTS},${ACTIVITY_EVENTS}`;
const MAX_SHOWN = 10;

interface MachineRecords {
  machine: MachineRecord;
  sessions: ListedSession[];
  invocations: InvocationRecord[];
}

/** One machine: what it is, its sessions, and what can be started on it. */
export function MachinePage({ props: { machineId, accountId }, api, keys }: PageContext<MachinePageProps>) {
  const history = useMemo(() => new CommandHistory(accountId, machineId), []);
  const [selected, setSelected] = useState<InvocationRecord | null>(null);
  const readRecords = async (): Promise<MachineRecords> => {
    const path = `/v1/control/machines/${machineId}`;
    const [machine, sessions, invocations] = await Promise.all([
      api.getRecord<MachineRecord>(path),
      api.getPage<SessionRecord>('/v1/sessions', { machineId, limit: MAX_SHOWN }),
      api.getPage<InvocationRecord>(`${path}/invocations`, { limit: MAX_SHOWN }),
    ]);
    const listed = await Promise.all(sessions.data.map((session) => toListedSession(session, keys)));
    return { machine, sessions: listed, invocations: invocations.data };
  };
  const { records, problem, streamState, refreshRecords } = useLiveRecords(
    api,
    EVENT_TYPES,
    readRecords,
    ({ machine }) => isOffline(machine),
  );
  return (
    <>
      <LiveStatus state={streamState} />
      <Problem text={problem} />
      {!records && !problem && <p class="progress">Loading …</p>}
      {records && (
        <>
          <MachineFacts machine={records.machine} />
          <StartSession
            api={api}
            keys={keys}
            accountId={accountId}
            heading="Start a session"
            machines={[records.machine]}
          />
          <TerminalSessions api={api} machine={records.machine} />
          <RunCommand
            api={api}
            machine={records.machine}
            history={history}
            selected={selected}
            onSelect={setSelected}
            onChange={refreshRecords}
          />
          <InvocationList invocations={records.invocations} history={history} onSelect={setSelected} />
          <MachineSessions sessions={records.sessions} />
        </>
      )}
    </>
  );
}

function MachineFacts({ machine }: { machine: MachineRecord }) {
  const { id, platform, arch, appVersion, createdAt, agents } = machine;
  return (
    <section class="card">
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <MachineState machine={machine} />
        </dd>
        <dt>ID</dt>
        <dd>
          <CopyableId id={id} />
        </dd>
        <dt>Platform</dt>
        <dd>
          {showInvisibleCharacters(platform)}
          {arch && `, ${showInvisibleCharacters(arch)}`}
          {appVersion && <small>program {showInvisibleCharacters(appVersion)}</small>}
        </dd>
        <dt>Can</dt>
        <dd>{describeCapabilities(machine)}</dd>
        <dt>Agents</dt>
        <dd>
          {agents.length === 0 && 'none announced'}
          {agents.map(({ name, title, version, modes }) => (
            <div key={name}>
              {showInvisibleCharacters(`${title ?? name} ${version ?? ''}`)}
              {modes.length > 0 && <small>modes: {modes.join(', ')}</small>}
            </div>
          ))}
        </dd>
        <dt>Added</dt>
        <dd>
          <RelativeTime at={createdAt} />
        </dd>
      </dl>
    </section>
  );
}

const SESSION_COLUMNS: readonly TableColumn<ListedSession>[] = [
  {
    name: 'Session',
    cell: ({ id, title }) => (
      <a href={`/console/sessions/${id}`}>
        <bdi>{showInvisibleCharacters(title)}</bdi>
      </a>
    ),
  },
  { name: 'State', cell: (session) => <SessionBadge session={session} /> },
  { name: 'Agent', cell: ({ agent }) => <AgentName agent={agent} /> },
  { name: 'Last active', cell: ({ lastActiveAt }) => <RelativeTime at={lastActiveAt} /> },
];

function MachineSessions({ sessions }: { sessions: ListedSession[] }) {
  return (
    <section class="part" id="sessions">
      <h2>Newest sessions</h2>
      {sessions.length === 0 ? (
        <p class="none">No sessions yet.</p>
      ) : (
        <Table caption="Sessions of this machine" columns={SESSION_COLUMNS} rows={sessions} getKey={({ id }) => id} />
      )}
    </section>
  );
}
