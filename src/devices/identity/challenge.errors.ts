import { invalidRequest, type ApiError } from '../../common/errors';
import type { ChallengeFault } from './challenges';

const MESSAGES: Record<ChallengeFault, string> = {
  invalid_challenge: 'The challenge was not issued for these keys, or has been used.',
  expired_challenge: 'The challenge has expired; ask for a new one.',
  invalid_signature: "The signature does not fit the challenge's message.",
};

/** 400 where a challenge vouches for new keys; signing in answers 401 instead. */
export function badChallenge(fault: ChallengeFault): ApiError {
  const path = fault === 'invalid_signature' ? '/signature' : '/challenge';
  return invalidRequest([{ in: 'body', path, code: fault, message: MESSAGES[fault] }]);
}
