import { ApiError, forbidden } from '../common/errors';
import type { Scope } from './scopes';
import type { InvalidTokenReason } from './token-verifier';

const CHALLENGE = 'Bearer realm="external-api"';

const REASONS: Record<InvalidTokenReason, string> = {
  malformed: 'The token is malformed.',
  expired: 'The token has expired.',
  revoked: 'The token has been revoked.',
  unknown: 'The token is not known here.',
};

/** RFC 6750 §3: without a credential the challenge carries no error. */
export function missingToken(): ApiError {
  return new ApiError('missing_token', 'Send a token as "Authorization: Bearer <token>".', {
    headers: { 'WWW-Authenticate': CHALLENGE },
  });
}

export function invalidToken(reason: InvalidTokenReason): ApiError {
  return new ApiError('invalid_token', REASONS[reason], {
    members: { reason },
    headers: {
      'WWW-Authenticate': `${CHALLENGE}, error="invalid_token", error_description="${REASONS[reason]}"`,
    },
  });
}

/** Scripts and people are told; a device is to come back later, and to lose nothing meanwhile (docs/decisions/0023). */
export function accountSuspended(caller: 'token' | 'device' | 'session'): ApiError {
  const detail = 'The account is suspended.';
  if (caller !== 'device') return forbidden(detail);
  return new ApiError('service_unavailable', detail, { headers: { 'Retry-After': '60' } });
}

export function insufficientScope(missing: readonly Scope[], required: readonly Scope[]): ApiError {
  return new ApiError('insufficient_scope', `This token lacks ${missing.join(' and ')}.`, {
    members: { required },
    headers: {
      'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${required.join(' ')}"`,
    },
  });
}
