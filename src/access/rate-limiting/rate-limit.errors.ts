import { ApiError } from '../../common/errors';
import { toRateLimitHeaders, type RateLimitResult } from './rate-limiter';

/** 429 `rate_limited` with the headers of the exhausted bucket. `Retry-After` is the time until its window ends. */
export function rateLimited(result: RateLimitResult): ApiError {
  const { rateLimitBucket: bucket, state } = result;
  const seconds = bucket.windowMs / 1000;
  return new ApiError(
    'rate_limited',
    `The ${bucket.name} bucket takes ${bucket.limit} calls in ${seconds} s. Try again in ${state.reset} s.`,
    {
      members: { bucket: bucket.name },
      headers: { ...toRateLimitHeaders(result), 'Retry-After': String(state.reset) },
    },
  );
}
