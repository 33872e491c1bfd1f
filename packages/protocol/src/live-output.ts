/**
 * What devices send while somebody reads it: the text of a turn and the output of an invocation. None of it is stored
 * (docs/protocol/event-streams.md#live-output).
 */
import type { OutputStreamName } from './invocations';

/** How long the service asks a device for live output, in ms. It asks again before this time is over. */
export const WATCH_LEASE_MS = 30_000;
/** Maximum bytes of text of a delta, before encryption. */
export const MAX_DELTA_BYTES = 4_096;
/** Minimum time between the deltas of a session, in ms. */
export const MIN_DELTA_INTERVAL_MS = 200;
/** Maximum bytes of output of one message. */
export const MAX_LIVE_OUTPUT_BYTES = 65_536;
/** Maximum bytes of output that a device sends per second and invocation. It drops what exceeds them. */
export const MAX_LIVE_OUTPUT_BYTES_PER_SECOND = 1_048_576;

/** What a delta shows of an agent: text of a message, its thoughts, a tool call, or its plan. */
export const DELTA_KINDS = ['message', 'thought', 'tool', 'plan'] as const;
export type DeltaKind = (typeof DELTA_KINDS)[number];
/** Kinds that only readers get who have asked for them. Earlier readers take every delta for text of a message. */
export type ProgressKind = Exclude<DeltaKind, 'message'>;

/**
 * `turn:watch`: asks a device with `session.watch` for the deltas of messages of a session. `progress:watch` asks a
 * device with `session.progress` for those of other kinds.
 */
export interface WatchTurnMessage {
  sessionId: string;
  /** Unix ms in server time, at most {@link WATCH_LEASE_MS} away. A time that is over ends the lease. */
  until: number;
  /** Unix ms in server time when the request was sent. Earlier releases don't send it. */
  serverTime?: number;
}

/** `invocation:watch`: asks a device with `invocation` for the output of an invocation. */
export interface WatchInvocationMessage {
  invocationId: string;
  /** As in {@link WatchTurnMessage}. */
  until: number;
  serverTime?: number;
}

/** `delta`, from the device: a piece of the message that an agent is writing, or what else it does. */
export interface DeltaMessage {
  sessionId: string;
  turnId: string;
  /** Id that the device gives the message or the tool call when it stores it; its own for a thought and a plan. */
  localId: string;
  /** Absent for `message`. */
  kind?: ProgressKind;
  /** Number of the delta in its message, from 0. The next one may be missing. */
  n: number;
  /** Compact JWE, bound to `{a: accountId, s: session tag, d: localId, n}` and, but for a message, `k: kind`. */
  content: string;
}

/** `output`, from the device: bytes that a command has written. A jump of `offset` shows what was dropped. */
export interface OutputMessage {
  invocationId: string;
  stream: OutputStreamName;
  /** Position of the first byte of `data` in everything that the command has written to the stream. */
  offset: number;
  /** base64 */
  data: string;
}
