import { Module, type ExecutionContext } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerOptions } from '@nestjs/throttler';
import type { Request } from 'express';
import { Registry } from 'prom-client';
import { Clock } from '../../common/clock';
import { Config } from '../../core/config';
import { MetricsModule } from '../../core/metrics';
import { REDIS_CLIENT, RedisModule, type RedisClient } from '../../core/redis';
import { AuthenticationFailureRecorder } from '../auth';
import { AddressRateLimiter } from './address-rate-limiter';
import { FallbackRateLimitStore } from './fallback-rate-limit-store';
import { MemoryRateLimitStore } from './memory-rate-limit-store';
import { resolveBucket, type BucketName } from './rate-limit-buckets';
import { getOwnerId } from './rate-limit-owner';
import { RateLimitStore } from './rate-limit-store';
import { buildRateLimitKey, RateLimiter } from './rate-limiter';
import { RedisRateLimitStore } from './redis-rate-limit-store';
import { routeRateLimit } from './route-rate-limit';

@Module({
  imports: [MetricsModule, RedisModule],
  providers: [
    MemoryRateLimitStore,
    {
      provide: RateLimitStore,
      inject: [REDIS_CLIENT, MemoryRateLimitStore, Registry, Clock],
      useFactory: (redis: RedisClient | null, memory: MemoryRateLimitStore, registry: Registry, clock: Clock) =>
        redis ? new FallbackRateLimitStore(new RedisRateLimitStore(redis), memory, registry, clock) : memory,
    },
    RateLimiter,
    AddressRateLimiter,
    { provide: AuthenticationFailureRecorder, useExisting: AddressRateLimiter },
  ],
  exports: [RateLimitStore, RateLimiter, AddressRateLimiter, AuthenticationFailureRecorder],
})
class RateLimitStoreModule {}

/** Rate limit buckets, their store, and the configuration of the guard. */
@Module({
  imports: [
    RateLimitStoreModule,
    ThrottlerModule.forRootAsync({
      imports: [RateLimitStoreModule],
      inject: [Config, RateLimitStore],
      useFactory: (config: Config, storage: RateLimitStore) => ({
        throttlers: [createRouteThrottler(config)],
        storage,
      }),
    }),
  ],
  exports: [RateLimitStoreModule, ThrottlerModule],
})
export class RateLimitModule {}

/** Returns the only throttler of `RateLimitGuard`, which resolves to the bucket of the route and the caller. */
function createRouteThrottler(config: Config): ThrottlerOptions {
  const resolveCallBucket = (context: ExecutionContext) => {
    const { principal } = context.switchToHttp().getRequest<Request>();
    return resolveBucket(routeRateLimit.get(context)!.bucket, config, principal?.account.limits);
  };
  return {
    limit: (context) => resolveCallBucket(context).limit,
    ttl: (context) => resolveCallBucket(context).windowMs,
    getTracker: (request, context) => getOwnerId(request as Request, routeRateLimit.get(context)!.by),
    generateKey: (_, owner, bucket) => buildRateLimitKey(bucket as BucketName, owner),
  };
}
