import { Subject } from 'rxjs';
import type { SyncNotificationMessage } from '@external-api/protocol';
import { SlotLimiter } from '../../common/slot-limiter';
import type { DeviceConnection } from './device-connection';
import type { LiveMessage, ReceivedWatchLease, WatchLease } from './live-output';
import { LocalConnectionRegistry, type SyncNotificationAudience } from './local-connection-registry';
import { bindDevice, type RelayCall, type CallOutcome } from './relay-call';
import { runRelayStage } from './relay-spans';

const MAX_CALLS_PER_ACCOUNT = 1_000;
const MAX_CALLS_PER_INSTANCE = 20_000;

/** Limits the calls that this instance waits for, per account and in total (docs/protocol/relay.md#limits). */
export class PendingCallLimiter extends SlotLimiter {
  constructor() {
    super(MAX_CALLS_PER_ACCOUNT, MAX_CALLS_PER_INSTANCE);
  }
}

/** Runs calls of this instance on devices that are connected to it. */
class LocalCallRunner {
  private readonly connectionsByRequestId = new Map<string, DeviceConnection>();

  /** Returns null, without having sent anything, if the connection is no longer the current one of its device. */
  async runCall(call: RelayCall, connection: DeviceConnection): Promise<CallOutcome | null> {
    const { requestId } = call.request;
    this.connectionsByRequestId.set(requestId, connection);
    try {
      const onLateAnswer = bindDevice(call.onLateAnswer, connection.device.deviceId);
      return await connection.sendRequest(call.request, call.answerTimeoutMs, onLateAnswer);
    } finally {
      this.connectionsByRequestId.delete(requestId);
    }
  }

  /** Returns false if the call does not run here. */
  cancelCall(requestId: string, reason: string): boolean {
    const connection = this.connectionsByRequestId.get(requestId);
    connection?.cancelCall(requestId, reason);
    return connection !== undefined;
  }
}

/**
 * Port that delivers each call to its device at most once, whichever instance the device is connected to, and live
 * output of devices to the instances that watch it.
 */
export abstract class RelayBus {
  /** Emits the leases of all instances for devices that may be connected to this one. */
  readonly receivedLeases = new Subject<ReceivedWatchLease>();
  /** Emits live output that this instance watches, or has watched a moment ago. */
  readonly receivedLiveMessages = new Subject<LiveMessage>();
  protected readonly localConnectionRegistry = new LocalConnectionRegistry();
  protected readonly localCallRunner = new LocalCallRunner();
  protected readonly pendingCallLimiter = new PendingCallLimiter();

  /** Calls that this instance waits for. */
  get pendingCallCount(): number {
    return this.pendingCallLimiter.size;
  }

  get connectionCount(): number {
    return this.localConnectionRegistry.connectionCount;
  }

  /** Returns server time in Unix ms, the same on every instance. Deadlines and devices use it. */
  abstract getServerTime(): number;
  /** Registers a connection. The one with the highest epoch is the device's newest; all others are retired. */
  abstract attachConnection(connection: DeviceConnection): Promise<void>;
  abstract detachConnection(connection: DeviceConnection): Promise<void>;
  /** Sends a cancellation to the device. The call occupies its slot until the device answers or the deadline passes. */
  abstract cancelCall(requestId: string, reason: string): void;
  /** Notifies the account's devices in the audience of a change, on all instances. */
  abstract publishSyncNotification(
    accountId: string,
    notification: SyncNotificationMessage,
    audience: SyncNotificationAudience,
  ): Promise<void>;
  /** Sends a lease to the owner of the device. Does nothing for a device that is offline or can't be watched. */
  abstract sendWatchLease(lease: WatchLease): Promise<void>;
  /** Sends live output to a watching instance, once at most. Returns false if it is dropped: calls come first. */
  abstract sendLiveMessage(watcherId: string, message: LiveMessage): boolean;

  /** Returns the connection of the device to this instance. */
  findConnection(accountId: string, deviceId: string): DeviceConnection | undefined {
    return this.localConnectionRegistry.findConnection(accountId, deviceId);
  }

  /** Returns the connections of this instance. */
  listConnections(): Iterable<DeviceConnection> {
    return this.localConnectionRegistry.listConnections();
  }

  sendCall(call: RelayCall): Promise<CallOutcome> {
    return runRelayStage('origin', call.request, (request) => this.deliverCall({ ...call, request }));
  }

  protected abstract deliverCall(call: RelayCall): Promise<CallOutcome>;
}
