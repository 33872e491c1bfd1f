import { setTimeout as sleep } from 'node:timers/promises';
import { computeRequestId, type CancelTurnResult, type MessageResult } from '@external-api/protocol';
import { CommandError } from '../exec/command-error';
import type { CapabilityNegotiation } from '../machine/capability-negotiation';
import { DEVICE_STOPPING, type RelayMethodHandler } from '../machine/relay-request-handler';
import type { TextMessageHandler, TextMessageRequest } from '../machine/sealed-messages';
import { isTrustedCaller } from '../permissions/permission-policy';
import type { AgentSessionRegistry } from '../sessions/agent-session-registry';
import { waitUnlessAborted } from '../time-limit';
import type { Turn } from './turn';
import type { TurnAcceptance } from './turn-acceptance';
import type { Precedence, TurnQueue } from './turn-queue';
import type { TurnStore } from './turn-store';

/** How long a message waits for its turn if the service names no time: a release from before turns. */
const DEFAULT_WAIT_MS = 25_000;
/** Part of the call's time that is left for the answer. */
const ANSWER_MARGIN_MS = 2_000;
/** How long an answer waits at most until the service has stored the turn's messages, or its end. */
const STORE_TIMEOUT_MS = 1_000;

export interface TurnHandlerDependencies {
  sessions: AgentSessionRegistry;
  acceptance: TurnAcceptance;
  store: TurnStore;
  capabilities: CapabilityNegotiation;
}

/**
 * Answers a message when its turn has ended, requires action, or `waitMs` is over, with 0 as soon as the turn is in the
 * journal. Time limits and cancellations by the caller don't stop the agent; a cancellation only removes a turn that
 * still waits.
 * @param handleForeignMessage answers messages of sessions that this device doesn't host, without a turn
 */
export function createTurnMessageHandler(
  { sessions, acceptance, store, capabilities }: TurnHandlerDependencies,
  handleForeignMessage: TextMessageHandler,
): TextMessageHandler {
  return async (request, signal) => {
    const queue = sessions.findQueue(request.sessionId);
    if (!queue) return { ...(await handleForeignMessage(request, signal)), turn: null };
    const { params } = request;
    const { ifBusy } = params;
    const waitMs = limitWaitMs(params.waitMs ?? DEFAULT_WAIT_MS, request.timeoutMs);
    const steered = ifBusy === 'steer' ? await steerTurn(queue, request, signal) : undefined;
    if (ifBusy === 'reject' && queue.isBusy)
      throw new CommandError('session_busy', 'The agent works, or another message waits for it.');
    const claimPrecedence = ifBusy === 'interrupt' ? (): Precedence => ({ ends: 'any' }) : undefined;
    const options = { claimPrecedence, isAnsweredLater: waitMs > 0, signal };
    const turn = steered?.turn ?? (await acceptance.acceptMessage(queue, request, params, options));
    // The turn of another call is not cancelled with this one.
    if (steered) await turn.waitForAnswer(waitMs, signal);
    else await waitForTurn(queue, turn, waitMs, signal);
    const stored = steered?.stored ?? turn.messageStored;
    const messageId = await findStoredMessage(queue, turn, stored, waitMs);
    // What is acknowledged must not be lost. The service may have stored it before the disk has.
    if (messageId === null) await queue.session.history.syncPendingEntries();
    if (waitMs > 0) await store.syncWaitingTurn(turn);
    const isSteered = ifBusy === 'steer' && { steered: steered !== undefined };
    const result: MessageResult = { accepted: true, messageId, reply: turn.reply, ...isSteered };
    return capabilities.areTurnsAccepted ? { ...result, turn: turn.summary } : result;
  };
}

/**
 * Cancels a turn and answers with its state when it has ended. A turn that has ended stays as it is. The answer has the
 * report of the end if the service has not stored it, as something in between may answer in its place.
 */
export function createCancelTurnHandler({
  sessions,
  store,
}: TurnHandlerDependencies): RelayMethodHandler<'session.cancel'> {
  return async ({ sessionId, params }): Promise<CancelTurnResult> => {
    const queue = sessions.findQueue(sessionId);
    if (!queue) throw new CommandError('internal', 'This device runs no agent in the session.');
    const requestId = computeRequestId(params.turnId);
    const turn = store.findTurn(requestId);
    if (turn && turn.sessionId !== sessionId) throw new CommandError('internal', 'The turn is of another session.');
    if (turn) {
      if (!turn.hasEnded) await queue.cancelTurn(turn);
      const report = await store.findUnstoredEnd(turn, STORE_TIMEOUT_MS);
      return { state: turn.state, ...(report && { report }) };
    }
    return { state: 'failed', report: store.reportLostTurn({ sessionId: queue.session.id, requestId }) };
  };
}

/**
 * Waits for a turn that the caller has begun.
 * @throws CommandError `cancelled` if the caller cancelled it in the queue
 */
export async function waitForTurn(queue: TurnQueue, turn: Turn, waitMs: number, signal: AbortSignal): Promise<void> {
  if (waitMs > 0) await turn.waitForAnswer(waitMs, signal);
  if (!signal.aborted || signal.reason === DEVICE_STOPPING) return;
  await queue.cancelQueuedTurn(turn);
  if (turn.state === 'cancelled') throw new CommandError('cancelled', 'The call was cancelled before the turn began.');
}

export const limitWaitMs = (waitMs: number, timeoutMs: number): number =>
  Math.max(0, Math.min(waitMs, timeoutMs - ANSWER_MARGIN_MS));

/** The turn that a message has joined. */
interface SteeredTurn {
  turn: Turn;
  /** Id of the message when the service has stored it. */
  stored: Promise<string | null>;
}

/**
 * Adds a message to the turn that runs. Returns undefined if none does, or has begun yet, or if it ends before the
 * agent gets the message, which then becomes a turn of its own.
 * @throws CommandError `steer_unsupported` if the agent can't, or the caller may not, and for a message with files;
 *   `internal` if it doesn't answer. It may have got the message then
 */
async function steerTurn(
  queue: TurnQueue,
  { requestId, caller, params }: TextMessageRequest,
  signal: AbortSignal,
): Promise<SteeredTurn | undefined> {
  const run = queue.runningPrompt;
  const { canSteer } = run ?? {};
  if (!run || canSteer === undefined) return undefined;
  if (!canSteer)
    throw new CommandError('steer_unsupported', 'The agent takes no message while it works. Queue or interrupt.');
  if (params.attachments?.length)
    throw new CommandError('steer_unsupported', 'A message with files joins no turn. Queue or interrupt.');
  // The agent may be in a mode that is not for apps, until their prompt changes it.
  if (!isTrustedCaller(caller ?? null) && queue.session.isTrusted)
    throw new CommandError('steer_unsupported', 'No app has used this session before. Its message must be queued.');
  // An agent that never answers must not keep the device from stopping.
  const steered = run.steerPrompt(requestId, params.content);
  const message = await waitUnlessAborted(steered, signal, () => {
    throw new CommandError('internal', 'The agent has not answered whether it takes the message.');
  });
  return message && { turn: run.turn, stored: message.stored };
}

/**
 * Waits until the service has stored the message, and with it all others of a turn that has ended, so that a caller can
 * read them. Returns its id, or null if the service has not stored it in time. A caller who doesn't wait gets no time.
 */
export async function findStoredMessage(
  { session }: TurnQueue,
  turn: Turn,
  messageStored: Promise<string | null>,
  waitMs: number,
): Promise<string | null> {
  if (session.history.isStalled) return null;
  const isStored = turn.hasEnded ? session.history.waitUntilTurnIsStored(turn.requestId) : undefined;
  const stored = Promise.all([messageStored, isStored]).then(([messageId]) => messageId);
  return Promise.race([stored, sleep(waitMs === 0 ? 0 : STORE_TIMEOUT_MS, null, { ref: false })]);
}
