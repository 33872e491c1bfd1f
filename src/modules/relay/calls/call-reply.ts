import { ApiError } from '../../../common/errors';
import type { RelayReplyDto } from './relay-reply.dto';

/** Successful response to a relayed call: the result of the device. */
export type CallReply = { status: 200; body: RelayReplyDto };

/** Response to a relayed call. */
export type CallResponse = CallReply | ApiError;
