import type { Draw } from './rate-limits';

/** The classic trio and the pair of the IETF draft (external-api.md §1, Rate limits). */
export function rateLimitHeaders({ bucket, state }: Draw): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(state.limit),
    'X-RateLimit-Remaining': String(state.remaining),
    'X-RateLimit-Reset': String(state.reset),
    'RateLimit-Policy': `"${bucket.name}";q=${bucket.limit};w=${bucket.windowMs / 1000}`,
    RateLimit: `"${bucket.name}";r=${state.remaining};t=${state.reset}`,
  };
}

export const RATE_LIMIT_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];
