import { buildMessageBinding, type MessageParams, type MessageRequest, openContent } from '@external-api/protocol';
import { CommandError } from '../exec/command-error';
import type { HostedSession } from '../history/session-history';
import type { RelayMethodHandler } from './relay-request-handler';

/** Message whose text this device can read. */
export type TextMessageRequest = MessageRequest & { params: MessageParams };

/** Answers a message. The result must be a JSON object. */
export type TextMessageHandler = (request: TextMessageRequest, signal: AbortSignal) => Promise<object>;

/**
 * Decrypts sealed messages before they are handled like others (docs/protocol/encryption.md#sealed-messages). Verifies
 * their place, so that a service can't pass off other content of the session as a message.
 * @param findSession returns a session that this device hosts
 */
export function createUnsealingHandler(
  handleMessage: TextMessageHandler,
  findSession: (sessionId: string | undefined) => HostedSession | undefined,
): RelayMethodHandler<'session.message'> {
  return async (request, signal) => {
    const { params, sessionId } = request;
    if (!('sealedContent' in params)) return handleMessage({ ...request, params }, signal);
    const session = findSession(sessionId);
    if (!session) throw new CommandError('internal', 'This device has no data key of the session.');
    const { sealedContent, localId, waitMs } = params;
    const place = buildMessageBinding(session.accountId, session.tag, localId, 'user');
    const { bytes } = await openContent(sealedContent, session.dataKey, place).catch((error: Error) => {
      throw new CommandError('invalid_content', error.message);
    });
    const content = Buffer.from(bytes).toString();
    return handleMessage({ ...request, params: { content, waitMs } }, signal);
  };
}
