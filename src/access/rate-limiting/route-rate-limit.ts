import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants';
import { getRoutePolicy, type RoutePolicy } from '../auth';
import { RouteFact, type RouteTarget } from '../../common/http';
import type { BucketName } from './rate-limit-buckets';
import type { RateLimitOwner } from './rate-limit-owner';

/** Bucket that each call of a route consumes from, and whose bucket it is. */
export interface RouteRateLimit {
  bucket: BucketName;
  by: RateLimitOwner;
}

export const RATE_LIMIT_METADATA = 'rate-limit:route';

/** Applies to routes without `@RateLimit`. Anonymous callers and apps have no bucket by default. */
const DEFAULT_RATE_LIMITS: Record<RoutePolicy['kind'], RouteRateLimit | null> = {
  token: { bucket: 'metadata', by: 'account' },
  device: { bucket: 'device', by: 'device' },
  control: { bucket: 'metadata', by: 'account' },
  browser: { bucket: 'device', by: 'device' },
  client: null,
  public: null,
};

/**
 * Returns the rate limit of a route: that of `@RateLimit`, or the default of the route's policy. By default, control
 * reads consume from the device's bucket: an open page of the console must not slow the account's scripts.
 */
export function getRouteRateLimit(target: RouteTarget): RouteRateLimit | null {
  const declared = Reflect.getMetadata(RATE_LIMIT_METADATA, target.handler) as RouteRateLimit | undefined;
  if (declared) return declared;
  const policy = getRoutePolicy(target);
  if (!policy) return null;
  return DEFAULT_RATE_LIMITS[policy.kind === 'control' && isRead(target) ? 'device' : policy.kind];
}

export const routeRateLimit = new RouteFact(getRouteRateLimit);

function isRead({ handler }: RouteTarget): boolean {
  return Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.GET;
}
