import type { SyncNotificationMessage } from '../../../protocol';
import type { DeviceConnection } from './device-connection';
import type { RelayCall, RelayResult } from './relay-call';

/** The devices of an account that get a sync notification: account devices, and the machine that hosts the record. */
export interface SyncNotificationAudience {
  /** The device that made the change. */
  exceptDeviceId: string | null;
  /** Absent in messages of the previous release: then no machine device is notified. */
  hostDeviceId?: string | null;
}

/** Port that delivers each call to its device at most once, whichever instance the device is connected to. */
export abstract class RelayBus {
  /** Returns server time in Unix ms, the same on every instance. Deadlines and devices use it. */
  abstract getServerTime(): number;
  /** Registers a connection. The one with the highest epoch is the device's newest; all others are retired. */
  abstract attachConnection(connection: DeviceConnection): Promise<void>;
  abstract detachConnection(connection: DeviceConnection): Promise<void>;
  abstract sendCall(call: RelayCall): Promise<RelayResult>;
  /** Sends a cancellation to the device. The call occupies its slot until the device answers or the deadline passes. */
  abstract cancelCall(requestId: string, reason: string): void;
  /** Notifies the account's devices in the audience of a change, on all instances. */
  abstract publishSyncNotification(
    accountId: string,
    notification: SyncNotificationMessage,
    audience: SyncNotificationAudience,
  ): Promise<void>;
  /** Returns the connections of this instance. */
  abstract listConnections(): Iterable<DeviceConnection>;
  abstract readonly connectionCount: number;
  /** Calls that this instance waits for. */
  abstract readonly pendingCallCount: number;
}
