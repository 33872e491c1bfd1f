import { Injectable } from '@nestjs/common';
import type { SyncNotificationMessage } from '@external-api/protocol';
import { Clock } from '../../common/clock';
import type { DeviceConnection } from './device-connection';
import type { LiveMessage, WatchLease } from './live-output';
import type { SyncNotificationAudience } from './local-connection-registry';
import { RelayBus } from './relay-bus';
import type { RelayCall, CallOutcome } from './relay-call';

const OWN_ID = 'local';

/** Bus of a single process, which all devices are connected to. */
@Injectable()
export class LocalBus extends RelayBus {
  constructor(private readonly clock: Clock) {
    super();
  }

  getServerTime(): number {
    return this.clock.now();
  }

  attachConnection(connection: DeviceConnection): Promise<void> {
    this.localConnectionRegistry.addConnection(connection)?.closeReplaced();
    return Promise.resolve();
  }

  detachConnection(connection: DeviceConnection): Promise<void> {
    this.localConnectionRegistry.removeConnection(connection);
    connection.onDisconnected();
    return Promise.resolve();
  }

  publishSyncNotification(
    accountId: string,
    notification: SyncNotificationMessage,
    audience: SyncNotificationAudience,
  ): Promise<void> {
    this.localConnectionRegistry.sendSyncNotification(accountId, notification, audience);
    return Promise.resolve();
  }

  sendWatchLease(lease: WatchLease): Promise<void> {
    this.receivedLeases.next({ ...lease, watcherId: OWN_ID });
    return Promise.resolve();
  }

  sendLiveMessage(_watcherId: string, message: LiveMessage): boolean {
    this.receivedLiveMessages.next(message);
    return true;
  }

  cancelCall(requestId: string, reason: string): void {
    this.localCallRunner.cancelCall(requestId, reason);
  }

  protected async deliverCall(call: RelayCall): Promise<CallOutcome> {
    const { accountId } = call;
    const connection = this.localConnectionRegistry.chooseConnection(accountId, call.candidates, call.capability);
    if (!connection) return { kind: 'not_delivered', reason: 'no_online_device', deviceId: null };
    const { deviceId } = connection.device;
    if (this.pendingCallLimiter.acquireSlot(accountId)) {
      return { kind: 'not_delivered', reason: 'relay_unavailable', deviceId };
    }
    try {
      const outcome = await this.localCallRunner.runCall(call, connection);
      return outcome ?? { kind: 'not_delivered', reason: 'no_online_device', deviceId };
    } finally {
      this.pendingCallLimiter.releaseSlot(accountId);
    }
  }
}
