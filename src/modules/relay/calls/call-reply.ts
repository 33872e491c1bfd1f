import type { InvocationDto } from '../../invocations';
import { ApiError } from '../../../common/errors';
import type { RelayReplyDto } from './relay-reply.dto';

/** Successful response to a relayed call: the result of the device, or a record of what is queued or has started. */
export type CallReply = { status: 200 | 202; body: RelayReplyDto } | { status: 202; body: { data: InvocationDto } };

/** Response to a relayed call. */
export type CallResponse = CallReply | ApiError;
