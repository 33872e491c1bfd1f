import { shortenText } from '@external-api/protocol';
import { ERROR_CATALOG, type ErrorCode } from './error-catalog';

/** Extension members of a problem document (RFC 9457 §3.2) and headers of its response. */
export interface ApiErrorExtras {
  members?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** Error that callers may see. Any other error becomes a 500 `internal_error` without details. */
export class ApiError extends Error {
  readonly status: number;
  readonly title: string;

  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly extras: ApiErrorExtras = {},
  ) {
    super(detail);
    this.name = 'ApiError';
    const { status, title } = ERROR_CATALOG[code];
    this.status = status;
    this.title = title;
  }
}

/** One violation in a request; `path` is a JSON pointer, also for query parameters. */
export interface RequestViolation {
  in: 'body' | 'query' | 'header';
  path: string;
  code: string;
  message: string;
}

/** Limits on the entries of `errors` and on the characters of their texts, which bound the size of the response. */
const MAX_VIOLATIONS = 20;
const MAX_PATH_LENGTH = 128;
const MAX_MESSAGE_LENGTH = 256;

/** Returns a 400 with the first 20 violations; `detail` states their total. Long names are shortened. */
export function invalidRequestError(violations: RequestViolation[]): ApiError {
  const errors = violations.slice(0, MAX_VIOLATIONS).map((violation) => ({
    ...violation,
    path: shortenText(violation.path, MAX_PATH_LENGTH),
    message: shortenText(violation.message, MAX_MESSAGE_LENGTH),
  }));
  const detail = violations.length === 1 ? errors[0]!.message : `The request has ${violations.length} violations.`;
  return new ApiError('invalid_request', detail, { members: { errors } });
}

/** Returns the violation of a rule by a member of the body. @param rule such as `must be in the future` */
export function bodyViolation(path: string, code: string, rule: string): RequestViolation {
  return { in: 'body', path, code, message: `${path} ${rule}.` };
}

/** Returns a 400 with one violation by a member of the body. */
export function invalidBodyError(path: string, code: string, rule: string): ApiError {
  return invalidRequestError([bodyViolation(path, code, rule)]);
}

export function notFoundError(resource = 'resource'): ApiError {
  return new ApiError('not_found', `There is no such ${resource}.`);
}

export function forbiddenError(detail: string): ApiError {
  return new ApiError('forbidden', detail);
}

export function planLimitExceededError(detail: string, limit: number): ApiError {
  return new ApiError('plan_limit_exceeded', detail, { members: { limit } });
}
