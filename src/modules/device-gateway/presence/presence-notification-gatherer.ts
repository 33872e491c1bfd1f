import type { SyncNotificationMessage } from '@external-api/protocol';
import type { AccountSyncNotification } from '../../../core/events';
import type { SyncNotificationAudience } from '../../relay-bus';

const WINDOW_MS = 250;
/** Changes in one notification, which the device protocol limits (docs/protocol/asyncapi.json). */
const MAX_CHANGES = 500;

type PublishNotification = (
  accountId: string,
  message: SyncNotificationMessage,
  audience: SyncNotificationAudience,
) => void;

/**
 * Gathers machines of an account that go online or offline, so that devices are notified of all at once. Otherwise each
 * of n machines that reconnect would cost n notifications. The first change is published at once. Those of the next 250
 * ms follow together, only the last one of each machine.
 */
export class PresenceNotificationGatherer {
  /** The changes of each account whose window is open, by machine. */
  private readonly changesByAccount = new Map<string, Map<string, AccountSyncNotification>>();

  constructor(private readonly publishNotification: PublishNotification) {}

  addChange(change: AccountSyncNotification): void {
    const { accountId, id } = change;
    const gatheredChanges = this.changesByAccount.get(accountId);
    if (gatheredChanges) gatheredChanges.set(id, change);
    else this.openWindow(accountId, [change]);
  }

  /** Publishes what was gathered at once, before the process exits. */
  publishGathered(): void {
    for (const accountId of [...this.changesByAccount.keys()]) this.closeWindow(accountId);
  }

  private openWindow(accountId: string, changes: AccountSyncNotification[]): void {
    this.changesByAccount.set(accountId, new Map());
    for (let i = 0; i < changes.length; i += MAX_CHANGES) {
      const part = changes.slice(i, i + MAX_CHANGES);
      this.publishNotification(accountId, toMessage(part), toAudience(part));
    }
    setTimeout(() => this.closeWindow(accountId), WINDOW_MS).unref();
  }

  private closeWindow(accountId: string): void {
    const changes = [...(this.changesByAccount.get(accountId)?.values() ?? [])];
    if (changes.length > 0) this.openWindow(accountId, changes);
    else this.changesByAccount.delete(accountId);
  }
}

function toMessage(changes: AccountSyncNotification[]): SyncNotificationMessage {
  const [first, ...more] = changes.map(({ type, id }) => ({ type, id }));
  return { ...first!, ...(more.length > 0 && { more }) };
}

/** Only account devices read the machines of others, and the machine itself has made the change. */
function toAudience(changes: AccountSyncNotification[]): SyncNotificationAudience {
  const [{ byDeviceId, hostDeviceId }] = changes as [AccountSyncNotification];
  if (changes.length === 1) return { exceptDeviceId: byDeviceId, hostDeviceId };
  const ownChanges = changes.flatMap(({ byDeviceId: deviceId, id }) => (deviceId ? [[deviceId, id] as const] : []));
  return { exceptDeviceId: null, hostDeviceId: null, ownChanges: Object.fromEntries(ownChanges) };
}
