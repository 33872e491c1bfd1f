import { ApiError } from '../../common/errors';
import type { DeviceError } from '../../protocol';
import type { NotDeliveredReason } from './bus/relay-call';

/** Whether a relayed call ran, as far as that is certain (docs/protocol/relay.md#guarantee). */
export type CallOutcome = 'not_delivered' | 'unknown' | 'answered';

const NOT_DELIVERED_ERRORS: Record<NotDeliveredReason, [detail: string, retryAfterSeconds: number]> = {
  no_online_device: ['No device that can serve this call is online. Connect a device and try again.', 10],
  device_busy: ['The device has reached its limit of calls in flight. Try again when one of them has ended.', 1],
  relay_unavailable: ['The relay is temporarily unavailable. Try again later.', 2],
};

export function notDeliveredError(reason: NotDeliveredReason): ApiError {
  const [detail, retryAfterSeconds] = NOT_DELIVERED_ERRORS[reason];
  return new ApiError(reason, detail, {
    members: { outcome: 'not_delivered' satisfies CallOutcome },
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

export function shuttingDownError(): ApiError {
  return new ApiError('service_unavailable', 'This instance is shutting down. Try again.', {
    members: { outcome: 'not_delivered' satisfies CallOutcome },
    headers: { 'Retry-After': '1' },
  });
}

export function deviceReportedError(error: DeviceError): ApiError {
  return new ApiError('device_error', `The device answered with an error: ${error.code}.`, {
    members: { deviceError: error, outcome: 'answered' satisfies CallOutcome },
  });
}

export function timeoutError(): ApiError {
  return new ApiError('timeout', 'The device did not answer in time. The call may have run.', {
    members: { outcome: 'unknown' satisfies CallOutcome },
  });
}

export function deviceDisconnectedError(): ApiError {
  return new ApiError('device_disconnected', 'The device disconnected during the call. The call may have run.', {
    members: { outcome: 'unknown' satisfies CallOutcome },
  });
}

export function sessionNotActiveError(): ApiError {
  return new ApiError('session_not_active', 'The session has ended. Messages can only be sent to active sessions.');
}
