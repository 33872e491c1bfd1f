import { SetMetadata } from '@nestjs/common';
import type { BucketName } from './rate-limit-buckets';
import type { RateLimitOwner } from './rate-limit-owner';
import { RATE_LIMIT_METADATA, type RouteRateLimit } from './route-rate-limit';

/**
 * Makes each call of the route consume from the bucket of its account, device or address. OpenAPI and
 * docs/route-policy.md show the bucket.
 */
export function RateLimit(bucket: BucketName, by: RateLimitOwner): MethodDecorator {
  return SetMetadata(RATE_LIMIT_METADATA, { bucket, by } satisfies RouteRateLimit);
}
