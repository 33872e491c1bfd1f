import { ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { rateLimited } from './rate-limit.errors';
import { toRateLimitHeaders, type RateLimitResult } from './rate-limiter';
import { routeRateLimit } from './route-rate-limit';

declare module 'express-serve-static-core' {
  interface Request {
    /** Bucket that this call consumed from. */
    rateLimit?: RateLimitResult;
  }
}

/**
 * Consumes once per call from the bucket of the route and of the principal or address, and sets the rate limit headers.
 * Runs after authentication and before the body is read, so that invalid requests are limited like valid ones.
 * Successful responses don't show the bucket of an address, which others behind it share. `RateLimitModule` configures
 * the one throttler that resolves to this bucket.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /** Skips routes without a bucket. */
  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(context.getType() !== 'http' || routeRateLimit.get(context) === null);
  }

  /** @throws ApiError 429 `rate_limited` */
  protected override async handleRequest(throttlerRequest: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration, throttler, getTracker, generateKey } = throttlerRequest;
    const request = context.switchToHttp().getRequest<Request>();
    const { bucket, by } = routeRateLimit.get(context)!;
    const key = generateKey(context, await getTracker(request, context), bucket);
    const hit = await this.storageService.increment(key, ttl, limit, blockDuration, throttler.name!);
    const result: RateLimitResult = {
      rateLimitBucket: { name: bucket, limit, windowMs: ttl },
      state: { limit, remaining: Math.max(0, limit - hit.totalHits), reset: hit.timeToExpire },
      isLimited: hit.isBlocked,
    };
    const response = context.switchToHttp().getResponse<Response>();
    if (by === 'address') {
      // Nest sets the headers of `@Header` only after the guards.
      if (result.isLimited) response.set('Cache-Control', 'no-store');
    } else {
      request.rateLimit = result;
      for (const [name, value] of Object.entries(toRateLimitHeaders(result))) response.setHeader(name, value);
    }
    if (result.isLimited) throw rateLimited(result);
    return true;
  }
}
