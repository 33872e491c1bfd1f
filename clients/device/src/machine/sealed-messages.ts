import {
  type AttachmentParams,
  buildAttachmentBinding,
  buildMessageBinding,
  type ContentBinding,
  decodeAttachment,
  type MessageParams,
  type MessageRequest,
  openContent,
} from '@external-api/protocol';
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
    const { sealedContent, localId, waitMs, ifBusy, attachments } = params;
    const place = buildMessageBinding(session.accountId, session.tag, localId, 'user');
    const content = Buffer.from(await openSealed(sealedContent, session, place)).toString();
    const opened = attachments && { attachments: await openAttachments(attachments, session, localId) };
    return handleMessage({ ...request, params: { content, waitMs, ifBusy, ...opened } }, signal);
  };
}

function openAttachments(
  attachments: readonly AttachmentParams[],
  session: HostedSession,
  localId: string,
): Promise<AttachmentParams[]> {
  const opened = attachments.map(async (attachment, index): Promise<AttachmentParams> => {
    if ('artifactId' in attachment) return attachment;
    if (!('sealedContent' in attachment))
      throw new CommandError('invalid_content', 'An attachment of a sealed message is not sealed.');
    const place = buildAttachmentBinding(session.accountId, session.tag, localId, index + 1);
    const { name, bytes } = readSealedFile(await openSealed(attachment.sealedContent, session, place));
    return { name, mediaType: null, data: Buffer.from(bytes).toString('base64') };
  });
  return Promise.all(opened);
}

/** @throws CommandError */
async function openSealed(sealedContent: string, { dataKey }: HostedSession, place: ContentBinding) {
  try {
    return (await openContent(sealedContent, dataKey, place)).bytes;
  } catch (error) {
    throw new CommandError('invalid_content', (error as Error).message);
  }
}

function readSealedFile(bytes: Uint8Array) {
  try {
    return decodeAttachment(bytes);
  } catch {
    throw new CommandError('invalid_content', 'A sealed attachment does not begin with a line of JSON that names it.');
  }
}
