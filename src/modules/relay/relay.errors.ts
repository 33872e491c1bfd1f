import type { RelayMethod, DeviceError, DeviceErrorCode } from '@external-api/protocol';
import { insufficientScope } from '../../access/auth';
import { ApiError, invalidRequestError, type ApiErrorExtras, type ErrorCode } from '../../common/errors';
import { toVisibleText } from '../../common/visible-text';
import { contentHashConflictError, permissionNotPendingError } from '../permission-requests';
import type { NotDeliveredReason } from '../relay-bus';

/** Whether a relayed call ran, as far as that is certain (docs/protocol/relay.md#guarantee). */
export const OUTCOME_KINDS = ['not_delivered', 'unknown', 'answered'] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/** Errors of relayed calls that don't consume from the `relay` bucket. */
export const RELAY_ERROR_CODES: readonly ErrorCode[] = [
  'device_busy',
  'device_error',
  'device_disconnected',
  'no_online_device',
  'relay_unavailable',
  'timeout',
];

const NOT_DELIVERED_ERRORS: Record<NotDeliveredReason, [detail: string, retryAfterSeconds: number]> = {
  no_online_device: ['No device that can serve this call is online. Connect a device and try again.', 10],
  device_busy: ['The device has reached its limit of calls in flight. Try again when one of them has ended.', 1],
  relay_unavailable: ['The relay is temporarily unavailable. Try again later.', 2],
};

/** Longer than for `device_busy` of the service itself: a device is busy with turns, not with calls of a second. */
const REFUSED_RETRY_AFTER_SECONDS = 5;

/** Returns the outcome that an error of a relayed call states; null for errors that concern the request itself. */
export function getOutcomeKind(error: ApiError): OutcomeKind | null {
  return (error.extras.members?.outcome as OutcomeKind | undefined) ?? null;
}

export function notDeliveredError(reason: NotDeliveredReason): ApiError {
  const [detail, retryAfterSeconds] = NOT_DELIVERED_ERRORS[reason];
  return new ApiError(reason, detail, {
    members: { outcome: 'not_delivered' satisfies OutcomeKind },
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

export function shuttingDownError(): ApiError {
  return new ApiError('service_unavailable', 'This instance is shutting down. Try again.', {
    members: { outcome: 'not_delivered' satisfies OutcomeKind },
    headers: { 'Retry-After': '1' },
  });
}

/** @param message text of the device */
type SharedError = (extras: ApiErrorExtras, message: string) => ApiError;

/** Errors of a device that mean the same as errors of the service. */
const SHARED_ERRORS: Partial<Record<RelayMethod, Record<string, SharedError>>> = {
  'session.permission': {
    permission_not_pending: permissionNotPendingError,
    conflict: contentHashConflictError,
    invalid_answers: invalidAnswersError,
  } satisfies Partial<Record<DeviceErrorCode, unknown>>,
  'session.message': {
    session_busy: () =>
      busyError('session_busy', 'The agent works, or another message waits for it. Nothing was sent.'),
    steer_unsupported: () =>
      busyError('steer_unsupported', "The message can't join the running turn. Queue it, or interrupt the turn."),
  } satisfies Partial<Record<DeviceErrorCode, unknown>>,
  // Only the device knows in which modes its agent decides by itself.
  'session.configure': {
    scope_required: ({ members }: ApiErrorExtras) =>
      insufficientScope(['machines:invoke'], ['sessions:write', 'machines:invoke'], members),
  } satisfies Partial<Record<DeviceErrorCode, unknown>>,
};

/** The device has done nothing, so that the message may be sent again with the same key. */
function busyError(code: 'session_busy' | 'steer_unsupported', detail: string): ApiError {
  return new ApiError(code, detail, { members: { outcome: 'not_delivered' satisfies OutcomeKind } });
}

/**
 * @returns 429 `device_busy` if the device refused the call before it did anything, the error of the service that means
 *   the same, otherwise 502 `device_error`
 */
export function deviceReportedError(method: RelayMethod, error: DeviceError): ApiError {
  if (error.code === ('busy' satisfies DeviceErrorCode)) return deviceRefusedError(error.message);
  const members = { outcome: 'answered' satisfies OutcomeKind };
  const sharedErrors = SHARED_ERRORS[method];
  if (sharedErrors && Object.hasOwn(sharedErrors, error.code))
    return sharedErrors[error.code]!({ members }, error.message);
  return new ApiError('device_error', `The device answered with an error: ${error.code}.`, {
    members: { deviceError: error, ...members },
  });
}

/** Only the device knows the form that the answers don't fit. @param reason says which field must be what */
function invalidAnswersError({ members }: ApiErrorExtras, reason: string): ApiError {
  const message = toVisibleText(reason);
  const { detail, extras } = invalidRequestError([{ in: 'body', path: '/answers', code: 'not_allowed', message }]);
  return new ApiError('invalid_request', detail, { members: { ...extras.members, ...members } });
}

/** @param reason text of the device, which says what it has too much of, or that it stops, and what to do */
function deviceRefusedError(reason: string): ApiError {
  const shownReason = reason.trim() && toVisibleText(reason);
  const detail = `The device does not accept this call now. ${shownReason}`.trim();
  return new ApiError('device_busy', detail, {
    members: { outcome: 'not_delivered' satisfies OutcomeKind },
    headers: { 'Retry-After': String(REFUSED_RETRY_AFTER_SECONDS) },
  });
}

export function timeoutError(): ApiError {
  return new ApiError('timeout', 'The device did not answer in time. The call may have run.', {
    members: { outcome: 'unknown' satisfies OutcomeKind },
  });
}

export function deviceDisconnectedError(): ApiError {
  return new ApiError('device_disconnected', 'The device disconnected during the call. The call may have run.', {
    members: { outcome: 'unknown' satisfies OutcomeKind },
  });
}
