/** An error answer of the service, RFC 9457 (external-api.md, Errors). */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    /** The stable part, such as `conflict`. */
    readonly code: string,
    readonly detail: string,
    readonly requestId: string | null,
    readonly retryAfterMs: number | null = null,
    /** Of a 401: `malformed`, `expired`, `revoked` or `unknown`. */
    readonly reason: string | null = null,
  ) {
    super(`${detail} (${[code, requestId].filter(Boolean).join(', ')})`);
  }
}

/** No answer at all: nobody there, or the connection broke. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** The device cannot go on, and trying again will not help: revoked, adopted by somebody else. */
export class DeviceRefusedError extends Error {
  override readonly name = 'DeviceRefusedError';
}

/** Whether the same request may succeed a little later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  return error instanceof ApiError && (error.status === 429 || error.status >= 500);
}
