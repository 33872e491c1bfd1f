import { ApiError, WaitTimeoutError } from '../errors.ts';
import { LinkedSignal } from '../http/abort.ts';
import { createKey, type RequestOptions, type Transport } from '../http/transport.ts';
import { waitForRecord } from '../http/wait-for-record.ts';
import type { Attachment, CallOptions, IfBusy, MessageDelivery, RelayReply, StartedTurn, Turn } from '../types.ts';

/** The longest that the service lets a caller wait in the call that sends the message. */
const MAX_WAIT_MS = 25_000;
/** A device reports a turn shortly after it has accepted the message. Until then there is no such turn. */
const REPORT_GRACE_MS = 30_000;
const FINAL: readonly Turn['state'][] = ['completed', 'failed', 'cancelled'];

/** What to wait for: the device has the message; its turn has ended or needs a decision; its turn has ended. */
export type SendUntil = 'accepted' | 'turn.requires_action' | 'turn.ended';

interface AttachmentOptions {
  /** Files for the agent, at most 8, such as those of `createAttachment`. */
  attachments?: readonly Attachment[] | undefined;
}

export interface SendOptions extends CallOptions, AttachmentOptions {
  /** Default: `accepted`. */
  until?: SendUntil | undefined;
  /** How long to wait, in milliseconds. Default: no limit. */
  timeoutMs?: number | undefined;
  /** Is called with each version of the turn that is read. */
  onEvent?: ((turn: Turn) => void) | undefined;
  /** Is called with the ID of the turn when the device has the message: errors after that are those of the wait. */
  onAccepted?: ((turnId: string) => void) | undefined;
  /**
   * How long the call that sends the message waits for the turn, up to 25,000 ms, which is the default unless `until`
   * is `accepted`. With 0, `reply` is null, and `onEvent` hears of the turn at once.
   */
  waitMs?: number | undefined;
  /**
   * What to do while the agent works on another message: wait (the default), give it the message while it works, cancel the
   * running turn, or reject with `session_busy`. An agent that can't be steered rejects with `steer_unsupported`.
   */
  ifBusy?: IfBusy | undefined;
}

export interface QueueOptions extends CallOptions, AttachmentOptions {
  /** Unix time in milliseconds. */
  notBefore?: MessageDelivery['notBefore'];
  /** Unix time in milliseconds, at most 7 days ahead. */
  expiresAt?: MessageDelivery['expiresAt'];
}

export interface TurnWaitOptions {
  /** Default: `turn.ended`. */
  until?: Exclude<SendUntil, 'accepted'> | undefined;
  /** Doesn't return the turn in this version or an earlier one, such as the one that required a decision. */
  afterVersion?: number | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  onEvent?: ((turn: Turn) => void) | undefined;
}

export interface SendResult {
  requestId: string;
  /** ID of the turn that the message began, or has joined. The turn goes on if `turn` is not final. Null without an agent. */
  turnId: string | null;
  /** The turn as last read. Null with `until: 'accepted'`, and if the device runs no agent in the session. */
  turn: Turn | null;
  /** State of the turn when the call returned. Null if the device runs no agent in the session. */
  state: Turn['state'] | null;
  /** What the agent said, if the turn ended within 25 seconds. Otherwise read the turn's messages. */
  reply: string | null;
  idempotencyKey: string;
  /** Only with `ifBusy: 'steer'`: whether the message has joined the turn of another one. */
  steered?: boolean;
}

interface MessageResult {
  turn?: StartedTurn | null;
  reply?: string | null;
  steered?: boolean;
}

/** Sends a message, and waits for its turn. The turn is also found if the answer of the device was lost. */
export async function sendMessage(
  transport: Transport,
  sessionPath: string,
  content: string,
  options: SendOptions,
): Promise<SendResult> {
  const { until = 'accepted', timeoutMs, onEvent, attachments, idempotencyKey = createKey() } = options;
  const deadline = performance.now() + (timeoutMs ?? Infinity);
  const link = new LinkedSignal([options.signal]);
  const timeout = new WaitTimeoutError(`No answer within ${timeoutMs} ms. The message may have been sent.`, null);
  if (timeoutMs !== undefined) link.setDeadline(timeoutMs, timeout);
  const { signal } = link;
  try {
    // A second call with this key must have the same body, whatever its time limit is.
    const waitMs = options.waitMs ?? (until === 'accepted' ? 0 : MAX_WAIT_MS);
    const body = { content, attachments, ifBusy: options.ifBusy, waitMs };
    const started = await startTurn(transport, sessionPath, { body, idempotencyKey, signal });
    // The wait for the turn has the same deadline, and an error with the last state.
    link.clearDeadline();
    const { turn, reply = null, steered } = started.result;
    if (turn && !started.isUnsure) options.onAccepted?.(turn.id);
    const isSteered = steered === undefined ? {} : { steered };
    const result = { requestId: started.requestId, turnId: turn?.id ?? null, reply, idempotencyKey, ...isSteered };
    if (!turn || (until === 'accepted' && !started.isUnsure))
      return { ...result, turn: null, state: turn?.state ?? null };
    const remainingMs = Math.ceil(deadline - performance.now());
    const wait = { until, timeoutMs: remainingMs, onEvent, signal };
    const record = await waitForTurn(transport, `${sessionPath}/turns/${turn.id}`, wait).catch((error: unknown) => {
      throw started.isUnsure && error instanceof ApiError && error.code === 'not_found' ? started.error : error;
    });
    return { ...result, turn: record, state: record.state };
  } finally {
    link.release();
  }
}

interface StartedCall extends RelayReply<MessageResult> {
  /** Whether the effect of the call is unknown: `turn` is the one that it began if it ran. */
  isUnsure?: boolean;
  error?: ApiError;
}

async function startTurn(transport: Transport, sessionPath: string, options: RequestOptions): Promise<StartedCall> {
  try {
    return (await transport.request<RelayReply<MessageResult>>('POST', `${sessionPath}/messages`, options)).body;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Only an answer that says so itself has the ID of the call that may have run.
    const isUnsure = error.problem?.outcome === 'unknown' || error.code === 'answer_not_kept';
    // A replayed error has the ID of the first call, of which the turn has its own.
    const requestId = error.problem?.firstRequestId ?? error.problem?.requestId;
    if (!isUnsure || typeof requestId !== 'string') throw error;
    const turn: StartedTurn = { id: requestId.replace(/^req_/, 'turn_'), state: 'queued', stopReason: null };
    return { requestId, result: { turn }, isUnsure, error };
  }
}

export async function queueMessage(
  transport: Transport,
  sessionPath: string,
  content: string,
  { notBefore, expiresAt, attachments, signal, idempotencyKey }: QueueOptions,
): Promise<{ queuedMessageId: string }> {
  const delivery = { mode: 'queue', notBefore, expiresAt };
  const options = { body: { content, attachments, delivery }, signal, idempotencyKey };
  const { body } = await transport.request<RelayReply<{ queuedMessageId: string }>>(
    'POST',
    `${sessionPath}/messages`,
    options,
  );
  return { queuedMessageId: body.result.queuedMessageId };
}

export function waitForTurn(
  transport: Transport,
  turnPath: string,
  options: Omit<TurnWaitOptions, 'until'> & { until?: SendUntil | undefined },
): Promise<Turn> {
  const { until, afterVersion = 0, signal, timeoutMs, onEvent } = options;
  const isDone = ({ state, version }: Turn) => {
    if (until === 'accepted') return true;
    if (FINAL.includes(state)) return true;
    const isReached = state === 'lost' || (until === 'turn.requires_action' && state === 'requires_action');
    return isReached && version > afterVersion;
  };
  const wait = { signal, timeoutMs, onChange: onEvent, notFoundGraceMs: REPORT_GRACE_MS };
  return waitForRecord<Turn>(transport, turnPath, isDone, wait);
}
