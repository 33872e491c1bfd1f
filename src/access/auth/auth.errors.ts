import { ApiError, forbiddenError, invalidRequestError } from '../../common/errors';
import type { Scope } from './scopes';
import type { InvalidTokenReason } from './token-verifier';

const BEARER_CHALLENGE = 'Bearer realm="external-api"';

const INVALID_TOKEN_MESSAGES: Record<InvalidTokenReason, string> = {
  malformed: 'The token is malformed.',
  expired: 'The token has expired.',
  revoked: 'The token has been revoked.',
  unknown: 'The token is unknown.',
};

/** 401 `missing_token`. The challenge has no `error` because the request has no credential (RFC 6750 §3). */
export function missingToken(): ApiError {
  return new ApiError('missing_token', 'Send a token as "Authorization: Bearer <token>".', {
    headers: { 'WWW-Authenticate': BEARER_CHALLENGE },
  });
}

/** 400 `invalid_request`: two credentials are ambiguous, and a proxy may have checked the other one. */
export function repeatedAuthorization(): ApiError {
  return invalidRequestError([
    {
      in: 'header',
      path: '/Authorization',
      code: 'repeated_header',
      message: 'The Authorization header occurs more than once. Send it once.',
    },
  ]);
}

export function invalidToken(reason: InvalidTokenReason): ApiError {
  const message = INVALID_TOKEN_MESSAGES[reason];
  return new ApiError('invalid_token', message, {
    members: { reason },
    headers: { 'WWW-Authenticate': `${BEARER_CHALLENGE}, error="invalid_token", error_description="${message}"` },
  });
}

/**
 * Returns 403 `forbidden` for tokens and console pages, and 503 `service_unavailable` on the routes of devices: a
 * device retries later and keeps its data meanwhile (docs/decisions/0023).
 */
export function accountSuspended(policyKind: 'token' | 'device' | 'control' | 'browser'): ApiError {
  const detail = 'The account is suspended.';
  if (policyKind === 'token' || policyKind === 'browser') return forbiddenError(detail);
  return new ApiError('service_unavailable', detail, {
    members: { outcome: 'not_delivered' },
    headers: { 'Retry-After': '60' },
  });
}

/** @param members of the problem document, beside the required scopes */
export function insufficientScope(
  missing: readonly Scope[],
  required: readonly Scope[],
  members: Record<string, unknown> = {},
): ApiError {
  return new ApiError('insufficient_scope', `This token lacks ${missing.join(' and ')}.`, {
    members: { required, ...members },
    headers: {
      'WWW-Authenticate': `${BEARER_CHALLENGE}, error="insufficient_scope", scope="${required.join(' ')}"`,
    },
  });
}

/** 403 `machine_not_allowed`: the token is limited to other machines. Nothing was sent. */
export function machineNotAllowed(): ApiError {
  return new ApiError('machine_not_allowed', 'This token is limited to other machines.', {
    members: { outcome: 'not_delivered' },
  });
}

/**
 * 403 `forbidden`: another site may have made the browser send its login cookie, or the person has signed in again in
 * another tab. The page shows the detail.
 */
export function csrfTokenRequired(): ApiError {
  return forbiddenError(
    'The page belongs to an earlier login. Reload it. Scripts send the CSRF token of their login in X-CSRF-Token, or ' +
      'a device token.',
  );
}
