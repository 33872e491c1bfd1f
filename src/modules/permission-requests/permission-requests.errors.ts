import { ApiError, type ApiErrorExtras } from '../../common/errors';

/** Thrown for a decision on a request that is decided, expired or cancelled. */
export function permissionNotPendingError(extras: ApiErrorExtras = {}): ApiError {
  return new ApiError('permission_not_pending', 'The permission request is no longer pending.', extras);
}

/** Thrown for a decision on other content than that of the request. */
export function contentHashConflictError(extras: ApiErrorExtras = {}): ApiError {
  return new ApiError('conflict', 'The decision is about other content than that of the request.', extras);
}
