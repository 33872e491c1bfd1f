import { Subject } from 'rxjs';
import type { SyncNotificationMessage } from '@external-api/protocol';
import type { DeviceConnection } from './device-connection';
import type { LiveMessage, ReceivedWatchLease, WatchLease } from './live-output';
import type { RelayCall, CallOutcome } from './relay-call';
import { runRelayStage } from './relay-spans';

/** The devices of an account that get a sync notification: account devices, and the machine that hosts the record. */
export interface SyncNotificationAudience {
  /** The device that made the change. */
  exceptDeviceId: string | null;
  /** Absent in messages of the previous release: then no machine device is notified. */
  hostDeviceId?: string | null;
  /** For several changes at once: devices that made one of them, and the id of its resource. */
  ownChanges?: Record<string, string>;
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
  abstract findConnection(accountId: string, deviceId: string): DeviceConnection | undefined;
  /** Returns the connections of this instance. */
  abstract listConnections(): Iterable<DeviceConnection>;
  abstract readonly connectionCount: number;
  /** Calls that this instance waits for. */
  abstract readonly pendingCallCount: number;

  sendCall(call: RelayCall): Promise<CallOutcome> {
    return runRelayStage('origin', call.request, (request) => this.deliverCall({ ...call, request }));
  }

  protected abstract deliverCall(call: RelayCall): Promise<CallOutcome>;
}
