import type { DeviceAnswer } from '../bus/device-answer';
import type { RelayResult } from '../bus/relay-call';
import { deviceDisconnectedError, deviceReportedError, notDeliveredError, timeoutError } from '../relay.errors';
import type { ApiError } from '../../../common/errors';
import type { RelayReplyDto } from './relay-reply.dto';
import type { UnsentRequest } from './relay-request';

/** The part of a call that its response depends on. */
export type CallIdentity = Pick<UnsentRequest, 'requestId' | 'method'>;

/** Response to a call that went to a device. */
export type DeviceResponse = { status: 200; body: RelayReplyDto } | ApiError;

/** Returns what the caller of a call gets. */
export function toResponse(call: CallIdentity, result: RelayResult): DeviceResponse {
  switch (result.kind) {
    case 'answered':
      return toReplyOrError(call, result.answer);
    case 'not_delivered':
      return notDeliveredError(result.reason);
    case 'unknown':
      return result.reason === 'timeout' ? timeoutError() : deviceDisconnectedError();
  }
}

export function toReplyOrError({ requestId, method }: CallIdentity, answer: DeviceAnswer): DeviceResponse {
  if (answer.kind === 'error') return deviceReportedError(method, answer.error);
  return { status: 200, body: { requestId, result: answer.result } };
}
