import { Subject } from 'rxjs';
import type { EndedPresence } from '../../devices';
import type { Capability, ChangeHint, RelayRequest } from '../../wire';
import type { DeviceAnswer } from './device-answer';
import type { Delivery, DeviceConnection } from './device-connection';

/** A device that may serve a call: one by its id, or whichever account device connected last. */
export type Candidate = { deviceId: string } | { newest: 'account' };

/** What the audit keeps of a call beside its request. */
export interface CallAudit {
  tokenId: string;
  appId: string | null;
  requestBytes: number;
  /** With an `Idempotency-Key` the call has its audit row already, and runs on without its origin. */
  keyed: boolean;
  /** Unix ms */
  startedAt: number;
}

/** One relayed call on its way to a device. */
export interface RelayCall {
  accountId: string;
  /** In order of preference; the first that is online and declared the capability gets it, and no other. */
  candidates: readonly Candidate[];
  capability: Capability;
  request: RelayRequest;
  /** After so many ms the origin gives up. */
  answerWithinMs: number;
  /** Who asked, for the audit of a call that outlives its origin. */
  audit: CallAudit;
  /** Called at most once, when the device answers after the origin gave up, up to five minutes later. */
  onLateAnswer: (answer: DeviceAnswer) => void;
}

export type NotDeliveredReason = 'no_online_device' | 'device_busy' | 'relay_unavailable';

/** How a call ended, and what is known of it (relay.md, Guarantee). */
export type RelayResult =
  | { kind: 'answered'; deviceId: string | null; answer: DeviceAnswer; routeMs: number; deviceMs: number }
  | { kind: 'not_delivered'; reason: NotDeliveredReason; deviceId: string | null }
  | {
      kind: 'unknown';
      reason: 'timeout' | 'device_disconnected';
      deviceId: string | null;
      routeMs: number;
      deviceMs: number;
    };

/** What a call's end at the socket means to its caller. */
export function toResult(delivery: Delivery, deviceId: string | null, routeMs: number, deviceMs: number): RelayResult {
  switch (delivery.kind) {
    case 'answered':
      return { kind: 'answered', deviceId, answer: delivery.answer, routeMs, deviceMs };
    case 'refused': {
      const reason = delivery.reason === 'gone' ? 'no_online_device' : delivery.reason;
      return { kind: 'not_delivered', reason, deviceId };
    }
    case 'lost':
      return { kind: 'unknown', reason: delivery.reason, deviceId, routeMs, deviceMs };
  }
}

/** A call whose origin died while it ran here. */
export interface OrphanedCall {
  requestId: string;
  accountId: string;
  deviceId: string;
  request: RelayRequest;
  audit: CallAudit;
}

/** Port: brings calls to devices, at most once each, wherever they are connected. */
export abstract class RelayBus {
  /** Calls without a key whose origin died; their devices were told to cancel. */
  readonly orphaned = new Subject<OrphanedCall>();

  /** Server time in Unix ms, the same on every instance: what devices and deadlines go by. */
  abstract now(): number;
  /** Whether other instances may take over what this one holds. */
  abstract readonly isShared: boolean;
  /** The device's newest connection is the one with the highest epoch; the others are retired. */
  abstract attach(connection: DeviceConnection): Promise<void>;
  abstract detach(connection: DeviceConnection): Promise<void>;
  abstract call(call: RelayCall): Promise<RelayResult>;
  /** Tells the device that the caller is gone; its slot stays taken until it answers or the deadline passes. */
  abstract cancel(requestId: string, reason: string): void;
  /** Hints at a change to the account's devices, wherever they are, but the one that made it. */
  abstract hint(accountId: string, change: ChangeHint, exceptDeviceId: string | null): Promise<void>;
  /** Tells the others again which devices this instance holds. */
  abstract reassert(): Promise<void>;
  /** Connections of instances that were given up: what is left of them goes, unless the instance lives after all. */
  abstract forget(connections: readonly EndedPresence[]): Promise<void>;
  /** Tells other instances that this one is about to go. */
  abstract drain(): Promise<void>;
  /** Connections that this instance holds. */
  abstract connections(): Iterable<DeviceConnection>;
  abstract readonly connectionCount: number;
  /** Calls that this instance waits for. */
  abstract readonly pending: number;
}
