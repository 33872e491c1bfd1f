import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../components/elements';
import { formatProblem } from '../components/mount-page';
import type { AccountApi } from '../content/account-api';
import type { PushSubscriptionRecord } from '../content/records';
import {
  changeEvents,
  findRegistration,
  isPageOnlyWorker,
  isPushSupported,
  readSubscription,
  registerWorker,
  turnOff,
  turnOn,
  type PushEventType,
} from './push-registration';

const REQUESTS_ONLY: readonly PushEventType[] = ['permission.requested'];
const ALL_EVENTS: readonly PushEventType[] = [...REQUESTS_ONLY, 'turn.completed', 'turn.failed'];

interface NotificationSettingsProps {
  api: AccountApi;
  accountId: string;
  deviceId: string;
}

type State =
  | { kind: 'loading' | 'unsupported' | 'denied' | 'unavailable' }
  | { kind: 'off'; serverKey: string }
  | { kind: 'on'; record: PushSubscriptionRecord; isPageOnly: boolean };

/** Turns the notifications of this browser on and off. */
export function NotificationSettings({ api, accountId, deviceId }: NotificationSettingsProps) {
  const [state, setState] = useState<State>({ kind: 'loading' });
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const refresh = async () => setState(await readState(api, deviceId));
  const act = (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem('');
    work()
      .then(refresh)
      .catch((error: unknown) => setProblem(formatProblem(error)))
      .finally(() => setBusy(false));
  };
  useEffect(() => act(() => Promise.resolve()), []);

  return (
    <div aria-busy={isBusy}>
      <p role="status">{STATE_TEXTS[state.kind]}</p>
      <Problem text={problem} />
      {state.kind === 'off' && (
        <p class="acts">
          <button
            type="button"
            disabled={isBusy}
            onClick={() =>
              act(async () => {
                // Browsers ask only in answer to a click.
                if ((await Notification.requestPermission()) !== 'granted') return;
                await turnOn(api, state.serverKey, { accountId, events: ALL_EVENTS });
              })
            }
          >
            Turn on notifications
          </button>
        </p>
      )}
      {state.kind === 'on' && (
        <SubscribedSettings api={api} accountId={accountId} state={state} isBusy={isBusy} act={act} />
      )}
    </div>
  );
}

interface SubscribedSettingsProps {
  api: AccountApi;
  accountId: string;
  state: Extract<State, { kind: 'on' }>;
  isBusy: boolean;
  act: (work: () => Promise<unknown>) => void;
}

function SubscribedSettings({ api, accountId, state, isBusy, act }: SubscribedSettingsProps) {
  const { record, isPageOnly } = state;
  const chooseEvents = (hasTurns: boolean) =>
    changeEvents(api, { accountId, events: hasTurns ? ALL_EVENTS : REQUESTS_ONLY });
  return (
    <>
      <div class="boxes">
        <label class="box">
          <input
            type="checkbox"
            disabled={isBusy}
            checked={record.events.includes('turn.completed')}
            onChange={({ currentTarget }) => act(() => chooseEvents(currentTarget.checked))}
          />
          <span>Also when an agent has finished or could not go on</span>
        </label>
        <label class="box">
          <input
            type="checkbox"
            disabled={isBusy}
            checked={isPageOnly}
            onChange={({ currentTarget }) => act(() => registerWorker(currentTarget.checked))}
          />
          <span>Open the page to decide: notifications have no Allow and Reject</span>
        </label>
      </div>
      <p class="acts">
        <button type="button" class="secondary" disabled={isBusy} onClick={() => act(() => turnOff(api, record))}>
          Turn off notifications
        </button>
      </p>
    </>
  );
}

const STATE_TEXTS: Record<State['kind'], string> = {
  loading: 'Loading …',
  unsupported:
    'This browser can’t show notifications of this site. On an iPhone or iPad, add the console to the Home Screen ' +
    'and open it there.',
  denied:
    'You have blocked notifications of this site. Allow them in the settings of the browser for this site, then ' +
    'reload the page.',
  unavailable: 'The operator of this service has not turned notifications on.',
  off: 'This browser can tell you when an agent asks for permission or has finished, while no page is open.',
  on:
    'Notifications are on. They are decrypted in this browser; the push service of its maker learns only when one ' +
    'arrives.',
};

async function readState(api: AccountApi, deviceId: string): Promise<State> {
  const { serverKey, record } = await readSubscription(api, deviceId);
  if (!isPushSupported()) return { kind: 'unsupported' };
  if (serverKey === null) return { kind: 'unavailable' };
  if (Notification.permission === 'denied') return { kind: 'denied' };
  const registration = await findRegistration();
  const isSubscribed = (await registration?.pushManager.getSubscription()) ? record : undefined;
  if (!isSubscribed || Notification.permission !== 'granted') return { kind: 'off', serverKey };
  const isPageOnly = isPageOnlyWorker(registration?.active?.scriptURL);
  return { kind: 'on', record: isSubscribed, isPageOnly };
}
