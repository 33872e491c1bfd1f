import { ApiResponseError } from '../client-errors';

export interface BackoffOptions {
  /** The first delay is between half of this value and this value. @default 500 */
  baseMs?: number;
  /** @default 30000 */
  maxMs?: number;
}

/** Exponential backoff with jitter, so that many devices don't reconnect at the same moment. */
export class Backoff {
  private attemptCount = 0;
  private isWholeMaxDue = false;
  private readonly baseMs: number;
  private readonly maxMs: number;

  constructor({ baseMs = 500, maxMs = 30_000 }: BackoffOptions = {}) {
    this.baseMs = baseMs;
    this.maxMs = maxMs;
  }

  /** Returns at least the time that the service asks for with this error. */
  getNextDelayMs(error?: unknown): number {
    const maxDelayMs = Math.min(this.maxMs, this.baseMs * 2 ** Math.min(this.attemptCount++, 30));
    const minDelayMs = this.isWholeMaxDue ? maxDelayMs : maxDelayMs / 2;
    this.isWholeMaxDue = false;
    const retryAfterMs = error instanceof ApiResponseError ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(minDelayMs + (Math.random() * maxDelayMs) / 2, retryAfterMs);
  }

  /** Makes the next delay at least the maximum. Later delays stay long until a reset. */
  jumpToMaxDelay(): void {
    this.attemptCount = 30;
    this.isWholeMaxDue = true;
  }

  resetDelay(): void {
    this.attemptCount = 0;
  }
}
