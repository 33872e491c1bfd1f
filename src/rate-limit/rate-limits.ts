import { Injectable } from '@nestjs/common';
import { Config } from '../config';
import { buckets, type Bucket, type BucketName } from './buckets';
import { LimitStore } from './limit-store';
import type { RateLimitState } from './rate-limit-record';

/** One draw on a bucket. */
export interface Draw {
  bucket: Bucket;
  state: RateLimitState;
  refused: boolean;
}

/** The buckets by name: draw on one, or look at it. */
@Injectable()
export class RateLimits {
  private readonly buckets: Record<BucketName, Bucket>;

  constructor(
    config: Config,
    private readonly store: LimitStore,
  ) {
    this.buckets = buckets(config);
  }

  async draw(name: BucketName, owner: string): Promise<Draw> {
    const bucket = this.buckets[name];
    const { hits, remainingMs } = await this.store.hit(keyOf(name, owner), bucket.windowMs);
    return { bucket, state: stateOf(bucket, hits, remainingMs), refused: hits > bucket.limit };
  }

  /** As `draw`, without drawing. @param limit the owner's own, instead of the configuration's */
  async look(name: BucketName, owner: string, limit = this.buckets[name].limit): Promise<Draw> {
    const bucket = { ...this.buckets[name], limit };
    const { hits, remainingMs } = await this.store.peek(keyOf(name, owner));
    return {
      bucket,
      state: stateOf(bucket, hits, remainingMs || bucket.windowMs),
      refused: hits >= bucket.limit,
    };
  }
}

export function keyOf(name: BucketName, owner: string): string {
  return `limit:${name}:${owner}`;
}

function stateOf(bucket: Bucket, hits: number, remainingMs: number): RateLimitState {
  return {
    limit: bucket.limit,
    remaining: Math.max(0, bucket.limit - hits),
    reset: Math.max(1, Math.ceil(remainingMs / 1000)),
  };
}
