import type { ThrottlerStorage } from '@nestjs/throttler';

export interface WindowCount {
  hits: number;
  /** Milliseconds until the window ends; 0 if none has started. */
  remainingMs: number;
}

/** Counts calls in fixed windows that start with the first call. */
export abstract class RateLimitStore implements ThrottlerStorage {
  /** Counts one call and returns the new count. */
  abstract countHit(key: string, windowMs: number): Promise<WindowCount>;

  /** Subtracts one call. Does nothing after the window has ended. */
  abstract refundHit(key: string): Promise<void>;

  /** Returns the count without changing it. */
  abstract peekCount(key: string): Promise<WindowCount>;

  /** Returns the server that counts calls of this key. Only its own keys are affected if it fails. */
  findServer(_key: string): string {
    return '';
  }

  /** Implements `ThrottlerStorage` with `countHit`. Times are whole seconds. */
  async increment(key: string, ttl: number, limit: number) {
    const { hits, remainingMs } = await this.countHit(key, ttl);
    const seconds = Math.max(1, Math.ceil(remainingMs / 1000));
    return {
      totalHits: hits,
      timeToExpire: seconds,
      isBlocked: hits > limit,
      timeToBlockExpire: hits > limit ? seconds : 0,
    };
  }
}
