import { ApiError } from '../common/errors';
import type { DeviceError } from '../wire';
import type { NotDeliveredReason } from './bus/relay-bus';

/** What is known of a relayed call, never guessed from silence (relay.md, Guarantee). */
export type Outcome = 'not_delivered' | 'unknown' | 'answered';

const NOT_DELIVERED: Record<NotDeliveredReason, [detail: string, retryAfterSeconds: number]> = {
  no_online_device: ['No device that can serve this call is online.', 10],
  device_busy: ['The device has as many calls in flight as it takes.', 1],
  relay_unavailable: ['The relay cannot take this call now.', 2],
};

export function notDelivered(reason: NotDeliveredReason): ApiError {
  const [detail, seconds] = NOT_DELIVERED[reason];
  return new ApiError(reason, detail, {
    members: { outcome: 'not_delivered' satisfies Outcome },
    headers: { 'Retry-After': String(seconds) },
  });
}

export function draining(): ApiError {
  return new ApiError('service_unavailable', 'This instance is shutting down.', {
    members: { outcome: 'not_delivered' satisfies Outcome },
    headers: { 'Retry-After': '1' },
  });
}

export function deviceError(error: DeviceError): ApiError {
  return new ApiError('device_error', `The device answered with an error: ${error.code}.`, {
    members: { deviceError: error, outcome: 'answered' satisfies Outcome },
  });
}

export function timedOut(): ApiError {
  return new ApiError('timeout', 'The device did not answer in time. The call may have run.', {
    members: { outcome: 'unknown' satisfies Outcome },
  });
}

export function deviceDisconnected(): ApiError {
  return new ApiError('device_disconnected', 'The device vanished during the call, which may have run.', {
    members: { outcome: 'unknown' satisfies Outcome },
  });
}

export function sessionNotActive(): ApiError {
  return new ApiError('session_not_active', 'The session has ended; messages go into active ones.');
}
