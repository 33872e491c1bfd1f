import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageRequest, MessageResult } from '../../wire';
import { CommandError } from '../exec/command-error';
import type { SessionHistory } from '../history/session-history';
import type { Answerer } from './answerers';

/** What an answer waits at most for the service to have stored the exchange. */
const STORING_MS = 1_000;

export type MessageHandler = (request: MessageRequest, signal: AbortSignal) => Promise<MessageResult>;

/**
 * Writes each message into the session's history before it is answered, and the reply after it, so that what an
 * answer says can be read back. `messageId` is the stored message's, or null where the service has not taken it yet.
 */
export function messageHandler(answer: Answerer, history: SessionHistory): MessageHandler {
  return async (request, signal) => {
    const { requestId, sessionId, params } = request;
    if (sessionId !== history.sessionId) return accepted(null, await answer(request, signal));
    if (history.isFull)
      throw new CommandError('internal', 'The history cannot be written: too much of it waits for the service.');
    const message = await history.append(requestId, 'user', params.content);
    const reply = await answer(request, signal);
    const replied = reply === null ? undefined : await history.append(requestId, 'assistant', reply);
    if (history.isStalled) return accepted(null, reply);
    const stored = Promise.all([message.stored, replied?.stored]).then(([messageId]) => messageId);
    return accepted(await Promise.race([stored, patience(signal)]), reply);
  };
}

async function patience(signal: AbortSignal): Promise<null> {
  return sleep(STORING_MS, null, { signal, ref: false }).catch(() => null);
}

const accepted = (messageId: string | null, reply: string | null): MessageResult => ({
  accepted: true,
  messageId,
  reply,
});
