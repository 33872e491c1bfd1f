import { Badge, EmptyState, Table, type TableColumn } from '@external-api/pages';
import { CopyableId, LiveStatus, Problem, RelativeTime } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import { useLiveRecords } from '../content/live-records';
import type { MachineRecord } from '../content/records';
import { describeCapabilities, nameAgents } from './machine-words';
import { showInvisibleCharacters } from '../lib/visible-text';

export const MACHINE_EVENTS = 'machine.registered,machine.online,machine.offline';

/** Capabilities that the list names. The page of a machine has all. */
const MAX_CAPABILITIES = 4;

/** All machines of the account. */
export function MachineList({ api }: { api: AccountApi }) {
  const readMachines = () => api.getAll<MachineRecord>('/v1/control/machines', { limit: 200 });
  const { records, problem, streamState } = useLiveRecords(api, MACHINE_EVENTS, readMachines, (machines) =>
    machines.some(isOffline),
  );
  return (
    <>
      <LiveStatus state={streamState} />
      <Problem text={problem} />
      {!records && !problem && <p class="progress">Loading …</p>}
      {records?.length === 0 && (
        <EmptyState heading="No machines yet">
          <p>A machine runs your agents and commands. Add one with the lines below.</p>
        </EmptyState>
      )}
      {records && records.length > 0 && (
        <Table caption="Machines, newest first" columns={COLUMNS} rows={records} getKey={({ id }) => id} />
      )}
    </>
  );
}

/** A machine that is away for less than 5 s causes no event: a page that shows it offline has to look again. */
export const isOffline = ({ state }: MachineRecord): boolean => state === 'offline';

const COLUMNS: readonly TableColumn<MachineRecord>[] = [
  {
    name: 'Machine',
    cell: ({ id, name }) => (
      <>
        <a href={`/console/machines/${id}`}>
          <bdi>{name}</bdi>
        </a>
        <small>
          <CopyableId id={id} />
        </small>
      </>
    ),
  },
  { name: 'State', cell: (machine) => <MachineState machine={machine} /> },
  { name: 'Platform', cell: ({ platform, arch }) => showInvisibleCharacters(arch ? `${platform}, ${arch}` : platform) },
  { name: 'Agents', cell: ({ agents }) => nameAgents(agents) },
  { name: 'Can', cell: (machine) => <small>{describeCapabilities(machine, MAX_CAPABILITIES)}</small> },
  {
    name: 'Sessions',
    cell: ({ id, name }) => (
      <a class="event" href={`/console/sessions?machine=${id}`} aria-label={`Show sessions on ${name}`}>
        Show
      </a>
    ),
  },
];

/** State of a machine; of an offline one, when it was last seen. */
export function MachineState({ machine: { state, lastSeenAt } }: { machine: MachineRecord }) {
  return (
    <>
      <Badge tone={state === 'online' ? 'good' : 'quiet'}>{state}</Badge>
      {state === 'offline' && lastSeenAt !== null && (
        <small>
          seen <RelativeTime at={lastSeenAt} />
        </small>
      )}
    </>
  );
}
