import { ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { drawOf, limitFor, type Bucket, type BucketName } from './buckets';
import { rateLimitHeaders } from './headers';
import { rateLimited } from './rate-limited';
import { keyOf, type Draw } from './rate-limits';

declare module 'express-serve-static-core' {
  interface Request {
    /** What this call drew on. */
    draw?: Draw;
  }
}

/** After the credential: one draw a call, on the bucket of its principal and route; every answer tells of it. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /**
   * Goes straight to the one throttler that the call draws on. The base class would ask for each of them whether its
   * decorators stand on the route or the class; here `@RelayBucket` alone says that (docs/decisions/0024).
   */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const { principal } = request;
    if (!principal) return true;
    const { bucket: name, owner } = drawOf(principal, context.getHandler());
    const standard = this.bucket(name);
    const bucket = { ...standard, limit: limitFor(principal, standard) };
    request.draw = await this.draw(bucket, keyOf(name, owner));
    context.switchToHttp().getResponse<Response>().set(rateLimitHeaders(request.draw));
    if (request.draw.refused) throw rateLimited(request.draw);
    return true;
  }

  private async draw(bucket: Bucket, key: string): Promise<Draw> {
    const { name, limit, windowMs } = bucket;
    const hit = await this.storageService.increment(key, windowMs, limit, windowMs, name);
    const state = { limit, remaining: Math.max(0, limit - hit.totalHits), reset: hit.timeToExpire };
    return { bucket, state, refused: hit.isBlocked };
  }

  private bucket(name: BucketName): Bucket {
    const { limit, ttl } = this.throttlers.find((throttler) => throttler.name === name)!;
    return { name, limit: limit as number, windowMs: ttl as number };
  }
}
