import type { RelayMethod } from '@external-api/protocol';
import type { LiveMessage, WatchLease } from '../live-output';
import type { SyncNotificationAudience } from '../local-connection-registry';
import type { CallAudit, NotDeliveredReason } from '../relay-call';

/** Version of the envelope format. Requests of another version are refused, other messages ignored. */
export const ENVELOPE_VERSION = 1;

/** A call as its origin publishes it. Times are Redis time in Unix ms. */
export interface RequestHead {
  type: 'request';
  /** The only device that may run the call. */
  deviceId: string;
  /** The owner must not start the call later: the origin has given up on a silent owner by then. */
  acceptBy: number;
  answerBy: number;
  /** Attempt number from 1; a call is routed again when its device reconnects to another instance. */
  attempt: number;
  callId: string;
  origin: string;
  accountId: string;
  method: RelayMethod;
  traceparent?: string;
  audit: CallAudit;
  /**
   * Epoch of the presence entry that led to the owner. It is in front of the MAC, so it is not authenticated and
   * nothing may rely on it.
   */
  epoch: number;
}

/**
 * How a call ended at its owner: the `CallOutcome`, with `gone` where the device has left the owner and nothing was
 * sent. The body of an answered call is the validated `DeviceAnswer`.
 */
export type OutcomeHead = {
  type: 'answer';
  callId: string;
  attempt: number;
  deviceMs: number;
} & (
  | { kind: 'answered' }
  | { kind: 'refused'; reason: NotDeliveredReason | 'gone' }
  | { kind: 'lost'; reason: 'timeout' | 'device_disconnected' }
);

export type EnvelopeHead =
  | RequestHead
  | OutcomeHead
  /** The owner's heartbeat: it is alive and runs these calls. */
  | { type: 'running'; callIds: string[] }
  | { type: 'cancel'; callId: string; reason: string }
  /** The device has a newer connection to another instance. */
  | { type: 'superseded'; accountId: string; deviceId: string; epoch: number }
  /** A sync notification; the body is the message for devices. */
  | ({ type: 'hint'; accountId: string } & SyncNotificationAudience)
  /** Asks the owner of a device for its live output; the sender is the watching instance. */
  | ({ type: 'watch' } & WatchLease)
  /** Live output; the body is the message of the device. */
  | ({ type: 'live' } & Omit<LiveMessage, 'data'>)
  /** Sent by an instance to itself, to check its subscription. */
  | { type: 'tick' };

/** Members that the codec adds to every head. The previous release writes only the version. */
export interface EnvelopeStamp {
  version: number;
  /** Id of the sending instance. */
  from?: string;
  /** Id of the receiving instance. Absent if a script in Redis picks the receivers. */
  to?: string;
  /** The sender's estimate of Redis time, in Unix ms. */
  sentAt?: number;
  /** Maximum error of `sentAt` in ms. */
  sentAtErrorMs?: number;
}
