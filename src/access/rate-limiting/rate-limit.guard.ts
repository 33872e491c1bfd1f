import { ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { getRouteTarget } from '../../common/http';
import { toRateLimitHeaders } from './rate-limit-headers';
import { rateLimited } from './rate-limit.errors';
import type { RateLimitResult } from './rate-limiter';
import { getRouteRateLimit } from './route-rate-limit';

declare module 'express-serve-static-core' {
  interface Request {
    /** Bucket that this call consumed from. */
    rateLimit?: RateLimitResult;
  }
}

/**
 * Consumes once per call from the bucket of the principal and the route, and sets the rate limit headers. Runs after
 * authentication. `RateLimitModule` configures the one throttler that resolves to this bucket.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /** Skips routes whose callers are anonymous. `AddressRateLimitGuard` limits them. */
  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    const rateLimit = context.getType() === 'http' ? getRouteRateLimit(getRouteTarget(context)) : null;
    return Promise.resolve(rateLimit === null || rateLimit.by === 'address');
  }

  /** @throws ApiError 429 `rate_limited` */
  protected override async handleRequest(throttlerRequest: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration, throttler, getTracker, generateKey } = throttlerRequest;
    const request = context.switchToHttp().getRequest<Request>();
    const { bucket } = getRouteRateLimit(getRouteTarget(context))!;
    const key = generateKey(context, await getTracker(request, context), bucket);
    const hit = await this.storageService.increment(key, ttl, limit, blockDuration, throttler.name!);
    request.rateLimit = {
      rateLimitBucket: { name: bucket, limit, windowMs: ttl },
      state: { limit, remaining: Math.max(0, limit - hit.totalHits), reset: hit.timeToExpire },
      isLimited: hit.isBlocked,
    };
    const response = context.switchToHttp().getResponse<Response>();
    response.setHeaders(new Map(Object.entries(toRateLimitHeaders(request.rateLimit))));
    if (request.rateLimit.isLimited) throw rateLimited(request.rateLimit);
    return true;
  }
}
