import type { RelayRequest } from '@external-api/protocol';
import { ApiError } from '../../../common/errors';
import type { InvocationDto } from '../../invocations';
import type { CallOutcome, DeviceAnswer } from '../../relay-bus';
import {
  deviceDisconnectedError,
  deviceReportedError,
  getOutcomeKind,
  notDeliveredError,
  timeoutError,
} from '../relay.errors';
import type { RelayReplyDto } from './relay-reply.dto';

/** What the caller gets: the result of the device, a record of what is queued or has started, or an error. */
export type CallReply = SuccessfulReply | ApiError;
export type SuccessfulReply =
  | { status: 200 | 202; body: RelayReplyDto }
  | { status: 202; body: { data: InvocationDto } };

/** The part of a call that its reply depends on. */
export type CallIdentity = Pick<RelayRequest, 'requestId' | 'method'>;

/** Returns whether the call was certainly not sent to a device. */
export function isNotDelivered(reply: CallReply): boolean {
  return reply instanceof ApiError && getOutcomeKind(reply) === 'not_delivered';
}

/** Returns what the caller gets after this outcome. */
export function toReply(call: CallIdentity, outcome: CallOutcome) {
  switch (outcome.kind) {
    case 'answered':
      return toReplyWithAnswer(call, outcome.answer);
    case 'not_delivered':
      return notDeliveredError(outcome.reason);
    case 'unknown':
      return outcome.reason === 'timeout' ? timeoutError() : deviceDisconnectedError();
  }
}

export function toReplyWithAnswer({ requestId, method }: CallIdentity, answer: DeviceAnswer) {
  if (answer.kind === 'error') return deviceReportedError(method, answer.error);
  return { status: 200 as const, body: { requestId, result: answer.result } };
}
