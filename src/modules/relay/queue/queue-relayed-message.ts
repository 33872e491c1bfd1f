import { invalidBodyError } from '../../../common/errors';
import type { MessageText, QueueMessageService } from '../../queued-messages';
import type { CallContext } from '../calls/call-context';
import type { SuccessfulReply } from '../calls/call-reply';
import type { SendMessageDto } from '../calls/relay.dto';

/**
 * Queues a message with `delivery` instead of relaying it.
 * @throws ApiError 400 with `waitMs` or `ifBusy`, and the errors of `QueueMessageService`
 */
export async function queueRelayedMessage(
  queueMessageService: QueueMessageService,
  { caller, idempotentRequest, requestId }: CallContext,
  sessionId: string,
  body: SendMessageDto,
  text: MessageText,
  checkText: () => Promise<void>,
): Promise<{ reply: SuccessfulReply; replayed: boolean }> {
  const { waitMs, ifBusy, delivery } = body;
  if (waitMs) throw invalidBodyError('/waitMs', 'not_allowed', 'must be absent or 0 with /delivery');
  if (ifBusy) throw invalidBodyError('/ifBusy', 'not_allowed', 'must not be given with /delivery');
  const { body: queued, replayed } = await queueMessageService.queueMessage(
    { caller, sessionId, requestId, text, checkText, delivery: delivery! },
    idempotentRequest,
  );
  return { reply: { status: 202, body: queued }, replayed };
}
