import type { ThrottlerStorage } from '@nestjs/throttler';

export interface WindowCount {
  hits: number;
  /** Milliseconds until the window ends; 0 when none has begun. */
  remainingMs: number;
}

/** Counts calls in fixed windows that begin with their first call. */
export abstract class LimitStore implements ThrottlerStorage {
  /** Counts one call and gives the count with it. */
  abstract hit(key: string, windowMs: number): Promise<WindowCount>;

  /** The count as it stands, without adding to it. */
  abstract peek(key: string): Promise<WindowCount>;

  /** @nestjs/throttler's view of `hit`: times in whole seconds. */
  async increment(key: string, ttl: number, limit: number) {
    const { hits, remainingMs } = await this.hit(key, ttl);
    const seconds = Math.max(1, Math.ceil(remainingMs / 1000));
    return {
      totalHits: hits,
      timeToExpire: seconds,
      isBlocked: hits > limit,
      timeToBlockExpire: hits > limit ? seconds : 0,
    };
  }
}
