import { useRef } from 'preact/hooks';
import { EmptyState } from '@external-api/pages';
import { Problem } from '../components/elements';
import type { PageContext, PageProps } from '../components/mount-page';
import { useLiveRecords } from '../content/live-records';
import type { MachineRecord } from '../content/records';
import { readLocalList } from '../lib/local-lists';
import { isOffline, MACHINE_EVENTS } from './machine-list';
import { StartSession } from './start-session';

/** Starts a session on a machine that the user chooses: that of the address, or the one that was used last. */
export function NewSessionPage({ props: { accountId }, api, keys }: PageContext<PageProps>) {
  const order = useRef<readonly string[]>([]);
  const readMachines = () => api.getAll<MachineRecord>('/v1/control/machines', { limit: 200 });
  const { records, problem } = useLiveRecords(api, MACHINE_EVENTS, readMachines, (found) => found.some(isOffline));
  if (!records) return problem ? <Problem text={problem} /> : <p class="progress">Loading …</p>;
  if (records.length === 0) {
    return (
      <EmptyState heading="No machines yet">
        <p>
          An agent works on a machine of yours. <a href="/console/machines">Add a machine</a> first.
        </p>
      </EmptyState>
    );
  }
  // A choice doesn't move when a machine goes online.
  if (order.current.length === 0) order.current = sortMachines(records, accountId).map(({ id }) => id);
  const places = new Map(order.current.map((id, place) => [id, place]));
  const getPlace = ({ id }: MachineRecord) => places.get(id) ?? places.size;
  const machines = [...records].sort((a, b) => getPlace(a) - getPlace(b));
  return <StartSession api={api} keys={keys} accountId={accountId} machines={machines} />;
}

/** Returns the preferred machine first, then those that can start a session now. */
function sortMachines(machines: readonly MachineRecord[], accountId: string): MachineRecord[] {
  const chosenId = new URLSearchParams(location.search).get('machine');
  const [lastId] = readLocalList<string>(accountId, 'machines');
  const rate = ({ id, state, agents }: MachineRecord) =>
    (id === chosenId ? 8 : 0) + (state === 'online' ? 4 : 0) + (agents.length > 0 ? 2 : 0) + (id === lastId ? 1 : 0);
  return [...machines].sort((a, b) => rate(b) - rate(a));
}
