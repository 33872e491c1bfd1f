import { ApiError, ConnectionError } from '../errors.ts';

const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 8_000;
/** Statuses that say nothing about the effect of the call. */
const GATEWAY_STATUSES = [502, 503, 504];

/** `wait`: the call did not run and is refused for a time. `repeat`: an attempt failed. `stop`: a retry is no use. */
export type RetryDecision = 'wait' | 'repeat' | 'stop';

/**
 * Decides by the error whether to send a call again.
 * @param isRepeatable whether sending it again has no second effect: a read, a deletion, or a call with a key
 */
export function decideRetry(error: ApiError, isRepeatable: boolean, isSafe: boolean): RetryDecision {
  if (error instanceof ConnectionError && error.isLasting) return 'stop';
  // An answer of something between caller and service says as little as none.
  const status = error.code === 'unexpected_response' ? 0 : error.status;
  if (status === 429) return 'wait';
  if (error.code === 'idempotency_in_progress') return 'wait';
  // A call that the credential may not make, or that the present state forbids, is refused again.
  if (status === 403 || status === 409) return 'stop';
  if (error.outcome === 'not_delivered' || status === 408) return 'repeat';
  if (error.outcome === 'answered') return 'stop';
  const isUnknown = error.outcome === 'unknown' || status === 0 || GATEWAY_STATUSES.includes(status);
  if (isUnknown) return isRepeatable ? 'repeat' : 'stop';
  return status === 500 && isSafe ? 'repeat' : 'stop';
}

/** Limits of the retries of one call, on a monotonic clock. */
export class RetryBudget {
  readonly #maxRetries: number;
  readonly #deadline: number;
  #repeats = 0;
  #delays = 0;

  constructor(maxRetries: number, timeoutMs: number) {
    this.#maxRetries = maxRetries;
    this.#deadline = performance.now() + timeoutMs;
  }

  /** Returns the delay before the next attempt in milliseconds, null if the budget is spent. */
  consume(error: ApiError, decision: RetryDecision): number | null {
    if (decision === 'stop' || this.#maxRetries <= 0) return null;
    if (decision === 'repeat' && ++this.#repeats > this.#maxRetries) return null;
    const delay = this.#computeDelay(error.retryAfterSeconds);
    return performance.now() + delay > this.#deadline ? null : delay;
  }

  /** Exponential backoff with full jitter. With Retry-After, the jitter spreads the callers after that time. */
  #computeDelay(retryAfterSeconds: number | undefined): number {
    const backoff = Math.random() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** this.#delays++);
    return retryAfterSeconds === undefined ? backoff : retryAfterSeconds * 1_000 + Math.min(backoff, 1_000);
  }
}
