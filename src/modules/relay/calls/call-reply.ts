import { ApiError } from '../../../common/errors';
import type { RelayReplyDto } from './relay-reply.dto';

/** Successful response to a relayed call: the result of the device, or a record of what is queued. */
export type CallReply = { status: 200 | 202; body: RelayReplyDto };

/** Response to a relayed call. */
export type CallResponse = CallReply | ApiError;
