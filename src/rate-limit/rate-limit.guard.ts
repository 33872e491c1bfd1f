import { ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { buckets, drawOf, limitFor, type Bucket, type BucketName } from './buckets';
import { rateLimitHeaders } from './headers';
import { rateLimited } from './rate-limited';
import type { Draw } from './rate-limits';

declare module 'express-serve-static-core' {
  interface Request {
    /** What this call drew on. */
    draw?: Draw;
  }
}

/** After the credential: one draw a call, on the bucket of its principal and route; every answer tells of it. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    const anonymous = context.getType() !== 'http' || !requestOf(context).principal;
    return Promise.resolve(anonymous);
  }

  protected override async handleRequest(request: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration, throttler, getTracker, generateKey } = request;
    const http = requestOf(context);
    const key = generateKey(context, await getTracker(http, context), throttler.name!);
    const { totalHits, timeToExpire, isBlocked } = await this.storageService.increment(
      key,
      ttl,
      limit,
      blockDuration,
      throttler.name!,
    );
    const bucket: Bucket = { name: throttler.name as BucketName, limit, windowMs: ttl };
    const state = { limit, remaining: Math.max(0, limit - totalHits), reset: timeToExpire };
    http.draw = { bucket, state, refused: isBlocked };
    context.switchToHttp().getResponse<Response>().set(rateLimitHeaders(http.draw));
    if (isBlocked) throw rateLimited(http.draw);
    return true;
  }
}

/** The buckets that routes draw on, in @nestjs/throttler's terms. */
export function throttlers(config: Parameters<typeof buckets>[0]) {
  const { metadata, relay, device } = buckets(config);
  return [metadata, relay, device].map((bucket) => ({
    name: bucket.name,
    limit: (context: ExecutionContext) => limitFor(requestOf(context).principal!, bucket),
    ttl: bucket.windowMs,
    skipIf: (context: ExecutionContext) =>
      drawOf(requestOf(context).principal!, context.getHandler()).bucket !== bucket.name,
  }));
}

export function requestOf(context: ExecutionContext): Request {
  return context.switchToHttp().getRequest<Request>();
}
