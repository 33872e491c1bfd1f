import type { RateLimitResult } from './rate-limiter';

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
