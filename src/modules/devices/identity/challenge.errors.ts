import { invalidRequestError, type ApiError } from '../../../common/errors';
import type { ChallengeErrorCode } from './challenge.service';

const CHALLENGE_ERROR_MESSAGES: Record<ChallengeErrorCode, string> = {
  invalid_challenge: 'The challenge was not issued for these keys, or has been used.',
  expired_challenge: 'The challenge has expired. Request a new one.',
  invalid_signature: "The signature does not match the challenge's message.",
};

/** Returns 400 for challenges that prove new keys. Sign-in returns 401 instead. */
export function invalidChallenge(code: ChallengeErrorCode): ApiError {
  const path = code === 'invalid_signature' ? '/signature' : '/challenge';
  return invalidRequestError([{ in: 'body', path, code, message: CHALLENGE_ERROR_MESSAGES[code] }]);
}
