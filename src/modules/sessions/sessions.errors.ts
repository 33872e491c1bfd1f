import { ApiError } from '../../common/errors';

/** Thrown for a message into a session that has ended. */
export function sessionNotActiveError(): ApiError {
  return new ApiError('session_not_active', 'The session has ended. Messages can only be sent to active sessions.');
}
