import { toRateLimitHeaders, type RateLimitResult } from '../../../access/rate-limiting';

/** OAuth error response (RFC 6749 §5.2 and its extensions). */
export abstract class OAuthError extends Error {
  /** `error` */
  abstract readonly code: string;
  readonly status: number = 400;

  /** @param description `error_description` for the developer, in ASCII without quotes or backslashes */
  constructor(
    readonly description: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(description);
  }
}

/** Thrown when a parameter is missing, repeated or malformed, or when there are two credentials (RFC 6749 §5.2). */
export class InvalidRequestError extends OAuthError {
  readonly code = 'invalid_request';
  override readonly status: number;

  /** @param status 413 when the body is too large, 415 when it is compressed */
  constructor(description: string, status: 400 | 413 | 415 = 400, headers: Record<string, string> = {}) {
    super(description, headers);
    this.status = status;
  }
}

/** Thrown when client authentication fails (RFC 6749 §5.2). An unknown id and a wrong secret give the same error. */
export class InvalidClientError extends OAuthError {
  readonly code = 'invalid_client';
  override readonly status = 401;

  /** @param byHeader whether the client used the Authorization header; if so, the response names the scheme */
  constructor(readonly byHeader: boolean) {
    super('Client authentication failed.', byHeader ? { 'WWW-Authenticate': 'Basic realm="external-api"' } : {});
  }
}

/** Thrown when the code or refresh token is not valid, or belongs to another client (RFC 6749 §5.2). */
export class InvalidGrantError extends OAuthError {
  readonly code = 'invalid_grant';
}

/** Thrown for a grant type that the server doesn't support (RFC 6749 §5.2). */
export class UnsupportedGrantTypeError extends OAuthError {
  readonly code = 'unsupported_grant_type';
}

/** Thrown when a scope is unknown or exceeds the granted scopes (RFC 6749 §5.2). */
export class InvalidScopeError extends OAuthError {
  readonly code = 'invalid_scope';
}

/** Thrown after too many failed authentications (RFC 6749 §4.1.2.1, with the status of RFC 6585 §4). */
export class TooManyFailuresError extends OAuthError {
  readonly code = 'temporarily_unavailable';
  override readonly status = 429;

  /** @param result the exhausted bucket, which the response names in its headers */
  constructor(result: RateLimitResult) {
    super('Too many failed attempts.', { ...toRateLimitHeaders(result), 'Retry-After': String(result.state.reset) });
  }
}

/** Thrown when a dependency is unavailable or the service is shutting down (RFC 6749 §4.1.2.1). */
export class TemporarilyUnavailableError extends OAuthError {
  readonly code = 'temporarily_unavailable';
  override readonly status = 503;

  constructor() {
    super('The service cannot answer now. Try again.', { 'Retry-After': '5' });
  }
}

/** Thrown for unexpected errors (RFC 6749 §4.1.2.1). */
export class OAuthServerError extends OAuthError {
  readonly code = 'server_error';
  override readonly status = 500;

  constructor() {
    super('Something went wrong here. Quote the X-Request-Id when asking for help.');
  }
}
