import type { Capability, ChangeHint, RelayRequest } from '../../wire';
import type { DeviceConnection } from './device-connection';

/** A device that may serve a call: one by its id, or whichever account device connected last. */
export type Candidate = { deviceId: string } | { newest: 'account' };

/** One relayed call on its way to a device. */
export interface RelayCall {
  accountId: string;
  /** In order of preference; the first that is online and declared the capability gets it, and no other. */
  candidates: readonly Candidate[];
  capability: Capability;
  request: RelayRequest;
  /** Unix ms at which the origin gives up. */
  answerBy: number;
  /** Called at most once, when the device answers after the origin gave up, up to five minutes later. */
  onLateAnswer: (answer: unknown) => void;
}

export type NotDeliveredReason = 'no_online_device' | 'device_busy' | 'relay_unavailable';

/** How a call ended, and what is known of it (relay.md, Guarantee). */
export type RelayResult =
  | { kind: 'answered'; deviceId: string; answer: unknown; routeMs: number; deviceMs: number }
  | { kind: 'not_delivered'; reason: NotDeliveredReason; deviceId: string | null }
  | {
      kind: 'unknown';
      reason: 'timeout' | 'device_disconnected';
      deviceId: string;
      routeMs: number;
      deviceMs: number;
    };

/** Port: brings calls to devices, at most once each, wherever they are connected. */
export abstract class RelayBus {
  /** Orders the connections of one device: the newest has the highest. */
  abstract nextEpoch(): Promise<number>;
  abstract attach(connection: DeviceConnection): Promise<void>;
  abstract detach(connection: DeviceConnection): Promise<void>;
  abstract call(call: RelayCall): Promise<RelayResult>;
  /** Tells the device that the caller is gone; its slot stays taken until it answers or the deadline passes. */
  abstract cancel(requestId: string, reason: string): Promise<void>;
  /** Hints at a change to the account's devices, wherever they are, but the one that made it. */
  abstract hint(accountId: string, change: ChangeHint, exceptDeviceId: string | null): Promise<void>;
  /** Connections that this instance holds. */
  abstract connections(): Iterable<DeviceConnection>;
  /** Whether the device's newest connection is online. */
  abstract find(accountId: string, deviceId: string): DeviceConnection | undefined;
  /** Calls that this instance waits for. */
  abstract readonly pending: number;
}
