import { ApiError } from '../common/errors';
import type { Draw } from './rate-limits';

/** 429 `rate_limited`; `Retry-After` is the seconds until the window ends. */
export function rateLimited({ bucket, state }: Draw): ApiError {
  const seconds = bucket.windowMs / 1000;
  return new ApiError(
    'rate_limited',
    `The ${bucket.name} bucket takes ${bucket.limit} calls in ${seconds} s. Try again in ${state.reset} s.`,
    { members: { bucket: bucket.name }, headers: { 'Retry-After': String(state.reset) } },
  );
}
