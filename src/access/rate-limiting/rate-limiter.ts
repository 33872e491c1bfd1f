import { Injectable } from '@nestjs/common';
import type { CallerAccount } from '../auth';
import { Config } from '../../core/config';
import {
  resolveBucket,
  ACCOUNT_BUCKET_NAMES,
  type BucketName,
  type RateLimitBucket,
  type AccountBucketName,
} from './rate-limit-buckets';
import { RateLimitStore } from './rate-limit-store';
import type { RateLimitStateDto } from './rate-limit-state.dto';

/** Result of consuming from a bucket, or of peeking at it. */
export interface RateLimitResult {
  rateLimitBucket: RateLimitBucket;
  state: RateLimitStateDto;
  isLimited: boolean;
}

/**
 * Consumes from buckets by name. Routes declare their bucket by `@RateLimit`. Calls of this class are for what depends
 * on the result of the request, such as a failed credential.
 */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly config: Config,
    private readonly store: RateLimitStore,
  ) {}

  async consume(name: BucketName, owner: string): Promise<RateLimitResult> {
    const bucket = resolveBucket(name, this.config);
    const { hits, remainingMs } = await this.store.countHit(buildRateLimitKey(name, owner), bucket.windowMs);
    return {
      rateLimitBucket: bucket,
      state: toRateLimitState(bucket, hits, remainingMs),
      isLimited: hits > bucket.limit,
    };
  }

  /** Reverts one `consume`. */
  refund(name: BucketName, owner: string): Promise<void> {
    return this.store.refundHit(buildRateLimitKey(name, owner));
  }

  /** Returns the state of the bucket without consuming. */
  peek(name: BucketName, owner: string): Promise<RateLimitResult> {
    return this.peekBucket(resolveBucket(name, this.config), owner);
  }

  /**
   * Returns the states of the buckets that the account's tokens share, without consuming.
   * @param consumed result of the present call, which is returned for its bucket instead of reading it again
   */
  async peekAccountBuckets(
    accountId: string,
    accountLimits: CallerAccount['limits'],
    consumed?: RateLimitResult,
  ): Promise<Record<AccountBucketName, RateLimitStateDto>> {
    const states = await Promise.all(
      ACCOUNT_BUCKET_NAMES.map(async (name) => {
        if (consumed?.rateLimitBucket.name === name) return [name, consumed.state] as const;
        const { state } = await this.peekBucket(resolveBucket(name, this.config, accountLimits), accountId);
        return [name, state] as const;
      }),
    );
    return Object.fromEntries(states) as Record<AccountBucketName, RateLimitStateDto>;
  }

  private async peekBucket(bucket: RateLimitBucket, owner: string): Promise<RateLimitResult> {
    const { hits, remainingMs } = await this.store.peekCount(buildRateLimitKey(bucket.name, owner));
    return {
      rateLimitBucket: bucket,
      state: toRateLimitState(bucket, hits, remainingMs || bucket.windowMs),
      isLimited: hits >= bucket.limit,
    };
  }
}

export function buildRateLimitKey(name: BucketName, owner: string): string {
  return `limit:${name}:${owner}`;
}

function toRateLimitState(rateLimitBucket: RateLimitBucket, hits: number, remainingMs: number): RateLimitStateDto {
  return {
    limit: rateLimitBucket.limit,
    remaining: Math.max(0, rateLimitBucket.limit - hits),
    reset: Math.max(1, Math.ceil(remainingMs / 1000)),
  };
}

/** Returns the `X-RateLimit-*` headers and those of the IETF draft (docs/protocol/external-api.md#rate-limits). */
export function toRateLimitHeaders({ rateLimitBucket: bucket, state }: RateLimitResult): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(state.limit),
    'X-RateLimit-Remaining': String(state.remaining),
    'X-RateLimit-Reset': String(state.reset),
    'RateLimit-Policy': `"${bucket.name}";q=${bucket.limit};w=${bucket.windowMs / 1000}`,
    RateLimit: `"${bucket.name}";r=${state.remaining};t=${state.reset}`,
  };
}

export const RATE_LIMIT_HEADER_NAMES = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];
