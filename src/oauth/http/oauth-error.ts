/** An error of RFC 6749 §5.2 and the RFCs on it, as the endpoints answer it. */
export abstract class OAuthError extends Error {
  /** `error` */
  abstract readonly code: string;
  readonly status: number = 400;

  /** @param description `error_description`: for the developer, in ASCII without quotes or backslashes */
  constructor(
    readonly description: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(description);
  }
}

/** RFC 6749 §5.2: a parameter is missing, repeated or malformed, or there are two credentials. */
export class InvalidRequest extends OAuthError {
  readonly code = 'invalid_request';
  override readonly status: number;

  /** @param status 413 where the body was too large to be read */
  constructor(description: string, status: 400 | 413 = 400, headers: Record<string, string> = {}) {
    super(description, headers);
    this.status = status;
  }
}

/** RFC 6749 §5.2: whoever calls is not a client that is known here; the same for an unknown id and a wrong secret. */
export class InvalidClient extends OAuthError {
  readonly code = 'invalid_client';
  override readonly status = 401;

  /** @param byHeader whether the Authorization header was used: then the answer names the scheme */
  constructor(readonly byHeader: boolean) {
    super('Client authentication failed.', byHeader ? { 'WWW-Authenticate': 'Basic realm="external-api"' } : {});
  }
}

/** RFC 6749 §5.2: the code or refresh token is no good, or is not this client's. */
export class InvalidGrant extends OAuthError {
  readonly code = 'invalid_grant';
}

/** RFC 6749 §5.2 */
export class UnsupportedGrantType extends OAuthError {
  readonly code = 'unsupported_grant_type';
}

/** RFC 6749 §5.2: more than was granted, or what there is not. */
export class InvalidScope extends OAuthError {
  readonly code = 'invalid_scope';
}

/** RFC 6749 §4.1.2.1, with the status of RFC 6585 §4: too many failures. */
export class TooManyFailures extends OAuthError {
  readonly code = 'temporarily_unavailable';
  override readonly status = 429;

  constructor(retryAfterSeconds: number) {
    super('Too many failed attempts.', { 'Retry-After': String(retryAfterSeconds) });
  }
}

/** RFC 6749 §4.1.2.1: what the service stands on is away, or it is on its way out. */
export class TemporarilyUnavailable extends OAuthError {
  readonly code = 'temporarily_unavailable';
  override readonly status = 503;

  constructor() {
    super('The service cannot answer now. Try again.', { 'Retry-After': '5' });
  }
}

/** RFC 6749 §4.1.2.1 */
export class ServerError extends OAuthError {
  readonly code = 'server_error';
  override readonly status = 500;

  constructor() {
    super('Something went wrong here. Quote the X-Request-Id when asking for help.');
  }
}
