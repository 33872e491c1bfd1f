import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { getRouteTarget } from '../../common/http';
import { getOwnerId } from './rate-limit-owner';
import { rateLimited } from './rate-limit.errors';
import { RateLimiter } from './rate-limiter';
import { getRouteRateLimit } from './route-rate-limit';

/**
 * Limits anonymous calls of a route by address, for `@RateLimit`. Unlike `RateLimitGuard` it is a guard of the route
 * and runs after validation: an invalid request costs nothing. Successful responses don't show the bucket's state,
 * which other clients of the address share.
 */
@Injectable()
export class AddressRateLimitGuard implements CanActivate {
  constructor(private readonly rateLimiter: RateLimiter) {}

  /** @throws ApiError 429 `rate_limited` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { bucket, by } = getRouteRateLimit(getRouteTarget(context))!;
    const http = context.switchToHttp();
    const result = await this.rateLimiter.consume(bucket, getOwnerId(http.getRequest<Request>(), by));
    if (!result.isLimited) return true;
    // Nest sets the headers of `@Header` only after the guards.
    http.getResponse<Response>().set('Cache-Control', 'no-store');
    throw rateLimited(result);
  }
}
