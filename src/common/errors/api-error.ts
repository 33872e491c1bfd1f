import { ERRORS, type ErrorCode } from './catalogue';

/** What a problem document carries beyond the standard members (RFC 9457 §3.2) and the headers beside it. */
export interface ErrorExtras {
  members?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** A refusal that callers may see. Anything else that is thrown becomes a bare 500 `internal_error`. */
export class ApiError extends Error {
  readonly status: number;
  readonly title: string;

  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly extras: ErrorExtras = {},
  ) {
    super(detail);
    this.name = 'ApiError';
    [this.status, this.title] = ERRORS[code];
  }
}

/** One fault of a request; `path` is a JSON pointer, for query parameters too. */
export interface RequestFault {
  in: 'body' | 'query' | 'header';
  path: string;
  code: string;
  message: string;
}

export function invalidRequest(faults: RequestFault[]): ApiError {
  const detail = faults.length === 1 ? faults[0]!.message : `The request has ${faults.length} faults.`;
  return new ApiError('invalid_request', detail, { members: { errors: faults } });
}

export function notFound(what = 'resource'): ApiError {
  return new ApiError('not_found', `There is no such ${what}.`);
}

export function forbidden(detail: string): ApiError {
  return new ApiError('forbidden', detail);
}

export function planLimitExceeded(detail: string, limit: number): ApiError {
  return new ApiError('plan_limit_exceeded', detail, { members: { limit } });
}
