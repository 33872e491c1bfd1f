/** The service's own refusal of a call, RFC 9457 (docs/protocol/external-api.md#errors). */
export class ApiResponseError extends Error {
  override readonly name = 'ApiResponseError';

  constructor(
    readonly status: number,
    /** Stable error code, such as `conflict`. */
    readonly code: string,
    readonly detail: string,
    readonly requestId: string | null,
    readonly retryAfterMs: number | null = null,
    /** Reason of a 401: `malformed`, `expired`, `revoked` or `unknown`. */
    readonly reason: string | null = null,
  ) {
    super(`${detail} (${[code, requestId].filter(Boolean).join(', ')})`);
  }
}

/** Thrown without an answer of the service: it can't be reached, the connection broke, or something else answered. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** Thrown when a retry can't help: the device was revoked, denied, or paired with another account. */
export class DeviceRejectedError extends Error {
  override readonly name = 'DeviceRejectedError';
}

/**
 * Thrown when another process has taken over the identity of this device: it has the same keys. To try again would
 * replace that process in turn.
 */
export class DeviceReplacedError extends Error {
  override readonly name = 'DeviceReplacedError';
}

/** Returns whether the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  if (!(error instanceof ApiResponseError)) return false;
  // An instance of the service whose clock is ahead calls expired what another one has just issued.
  const isExpired = error.status === 401 && error.reason === 'expired';
  return isExpired || error.status === 429 || error.status >= 500;
}
