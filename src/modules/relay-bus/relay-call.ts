import type { Capability, RelayRequest } from '@external-api/protocol';
import type { DeviceAnswer } from './device-answer';

/** A device that may serve a call: a certain one, or the account device that connected last. */
export type DeviceCandidate = { deviceId: string } | { newest: 'account' };

/** Audit data of a call that its request does not contain. */
export interface CallAudit {
  /** Null for a call of a device. */
  tokenId: string | null;
  appId: string | null;
  /** Account device that called; null for a token. The previous release does not send it. */
  callerDeviceId?: string | null;
  requestBytes: number;
  /**
   * Whether the call has an `Idempotency-Key`. If so, its audit row exists already and the call continues without its
   * origin.
   */
  keyed: boolean;
  /** Unix ms */
  startedAt: number;
}

/** One relayed call on its way to a device. */
export interface RelayCall {
  accountId: string;
  /** In order of preference. Only the first that is online and declared the capability gets the call. */
  candidates: readonly DeviceCandidate[];
  capability: Capability;
  request: RelayRequest;
  /** Time in ms after which the origin gives up. */
  answerTimeoutMs: number;
  /** Used to audit a call that outlives its origin. */
  audit: CallAudit;
  /** Called at most once, when the device answers after the origin gave up, up to five minutes later. */
  onLateAnswer: LateAnswerHandler;
}

/** @param deviceId device that answered; null if it isn't known */
export type LateAnswerHandler = (answer: DeviceAnswer, deviceId: string | null) => void;

/** Returns the handler for the answers of one device. It may live for minutes, and retains nothing else of the call. */
export function bindDevice(handler: LateAnswerHandler, deviceId: string | null): (answer: DeviceAnswer) => void {
  return (answer) => handler(answer, deviceId);
}

export type NotDeliveredReason = 'no_online_device' | 'device_busy' | 'relay_unavailable';

/** How a call ended, and whether it may have run (docs/protocol/relay.md#guarantee). */
export type CallOutcome =
  | { kind: 'answered'; deviceId: string | null; answer: DeviceAnswer; routeMs: number; deviceMs: number }
  | { kind: 'not_delivered'; reason: NotDeliveredReason; deviceId: string | null }
  | {
      kind: 'unknown';
      reason: 'timeout' | 'device_disconnected';
      deviceId: string | null;
      routeMs: number;
      deviceMs: number;
    };
