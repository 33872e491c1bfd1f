import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageResult } from '@external-api/protocol';
import { CommandError } from '../exec/command-error';
import type { SessionHistory } from '../history/session-history';
import type { ReplyHandler } from './reply-handlers';
import type { TextMessageRequest } from './sealed-messages';

/** How long an answer waits at most until the service has stored the exchange. */
const STORE_TIMEOUT_MS = 1_000;

export type MessageHandler = (request: TextMessageRequest, signal: AbortSignal) => Promise<MessageResult>;

/**
 * Writes each message to the session's history before it is answered, and then the reply, so that callers can read both
 * back. `messageId` is the stored message's id, or null when the service has not stored it yet.
 * @param isAgentSession whether an agent has worked in the session, which nothing else may answer for
 */
export function createMessageHandler(
  replyHandler: ReplyHandler,
  history: SessionHistory,
  isAgentSession: (sessionId: string | undefined) => boolean,
): MessageHandler {
  return async (request, signal) => {
    const { requestId, sessionId, params } = request;
    if (params.attachments?.length)
      throw new CommandError('attachment_unsupported', 'No agent of this machine works in the session.');
    if (sessionId !== history.sessionId && isAgentSession(sessionId))
      throw new CommandError('agent_not_found', 'The machine runs without the agent of this session.');
    if (sessionId !== history.sessionId) return toMessageResult(null, await replyHandler(request, signal));
    if (history.isFull) throw new CommandError('busy', 'The history cannot be written: too many messages are pending.');
    const userEntry = await history.appendText(requestId, 'user', params.content);
    const reply = await replyHandler(request, signal);
    const assistantEntry = reply === null ? undefined : await history.appendText(requestId, 'assistant', reply);
    const storedMessageId = Promise.all([userEntry.stored, assistantEntry?.stored]).then(([messageId]) => messageId);
    const timeout = history.isStalled ? null : waitForStoreTimeout(signal);
    const messageId = await Promise.race([storedMessageId, timeout]);
    // The answer says that the message was accepted, so it must not be lost.
    if (messageId === null) await history.syncPendingEntries();
    return toMessageResult(messageId, reply);
  };
}

async function waitForStoreTimeout(signal: AbortSignal): Promise<null> {
  return sleep(STORE_TIMEOUT_MS, null, { signal, ref: false }).catch(() => null);
}

const toMessageResult = (messageId: string | null, reply: string | null): MessageResult => ({
  accepted: true,
  messageId,
  reply,
});
