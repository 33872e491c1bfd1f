import { useEffect, useMemo, useState } from 'preact/hooks';
import { EmptyState } from '@external-api/pages';
import { LiveStatus, Problem } from '../components/elements';
import type { PageContext, PageProps } from '../components/mount-page';
import type { AccountApi } from '../content/account-api';
import { followEvents, type StreamState } from '../content/follow-events';
import { useMachineNames } from '../content/machine-names';
import { ApprovalCard } from './approval-card';
import { useApprovals } from './approval-collection';
import { ApprovalSessionReader, type Approval } from './open-approval';
import { RecentDecisions } from './recent-decisions';

const EVENT_TYPES = 'permission.requested,permission.decided,turn.started,turn.requires_action,turn.ended';

/** All pending permission requests of the account, and those that were decided last. */
export function ApprovalPage({ api, keys }: Omit<PageContext<PageProps>, 'props'>) {
  const [streamState, setStreamState] = useState<StreamState>('connecting');
  const [changeCount, setChangeCount] = useState(0);
  const machineNames = useMachineNames(api);
  const reader = useMemo(() => new ApprovalSessionReader(api, keys), []);
  const readSession = (id: string) => reader.readSession(id);
  const collection = useApprovals({ api, path: '/v1/permission-requests', readSession, changeCount });
  const countChange = () => setChangeCount((count) => count + 1);

  useEffect(() => {
    const closing = new AbortController();
    const handlers = { onEvent: countChange, onReset: countChange, onStateChange: setStreamState };
    followEvents(api, `/v1/control/events?types=${EVENT_TYPES}`, handlers, closing.signal);
    return () => closing.abort();
  }, []);

  return (
    <>
      <LiveStatus state={streamState} />
      <Approvals api={api} collection={collection} machineNames={machineNames} onDecided={countChange} />
      {!collection.isLoading && !collection.problem && collection.approvals.length === 0 && <NoApprovals />}
      <NotificationChoice />
      <RecentDecisions
        api={api}
        readSession={readSession}
        hiddenIds={new Set(collection.approvals.map(({ record }) => record.id))}
        isShown={!collection.isLoading}
      />
    </>
  );
}

interface ApprovalsProps {
  api: AccountApi;
  collection: { approvals: Approval[]; isLoading: boolean; problem: string };
  machineNames: ReadonlyMap<string, string>;
  onDecided: () => void;
}

function Approvals({ api, collection: { approvals, isLoading, problem }, machineNames, onDecided }: ApprovalsProps) {
  return (
    <section class="approvals" aria-label="Pending approvals" aria-busy={isLoading}>
      <Problem text={problem} />
      {isLoading && <p class="progress">Loading …</p>}
      {approvals.map((approval) => (
        <ApprovalCard
          key={approval.record.id}
          api={api}
          approval={approval}
          machineNames={machineNames}
          onDecided={onDecided}
        />
      ))}
    </section>
  );
}

function NoApprovals() {
  return (
    <EmptyState heading="Nothing to decide">
      <p>
        Questions of agents appear here before they use a tool. Agents work on your{' '}
        <a href="/console/machines">machines</a>.
      </p>
    </EmptyState>
  );
}

const NOTIFICATION_TEXTS: Partial<Record<NotificationPermission, string>> = {
  granted: 'This browser notifies you when an agent asks, while a page of the console is open.',
  denied: 'Notifications are blocked in the settings of this browser.',
};

/** Asks for the permission to show notifications, only after a click. */
function NotificationChoice() {
  const [permission, setPermission] = useState(() => ('Notification' in window ? Notification.permission : null));
  if (permission === null) return null;
  if (permission !== 'default') return <p class="notification-choice">{NOTIFICATION_TEXTS[permission]}</p>;
  return (
    <p class="notification-choice">
      <button type="button" class="secondary" onClick={() => void Notification.requestPermission().then(setPermission)}>
        Notify me in this browser
      </button>
    </p>
  );
}
