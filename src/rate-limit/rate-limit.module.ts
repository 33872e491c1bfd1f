import { ExecutionContext, Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { Clock } from '../common/clock';
import { Config } from '../config';
import { REDIS } from '../persistence';
import { AddressBucket } from './address-bucket';
import { drawOf, type BucketName } from './buckets';
import { FallbackLimitStore } from './fallback-limit-store';
import { LimitStore } from './limit-store';
import { MemoryLimitStore } from './memory-limit-store';
import { requestOf, throttlers } from './rate-limit.guard';
import { keyOf, RateLimits } from './rate-limits';
import { RedisLimitStore } from './redis-limit-store';

@Global()
@Module({
  providers: [
    MemoryLimitStore,
    {
      provide: LimitStore,
      inject: [REDIS, MemoryLimitStore, Registry, Clock],
      useFactory: (redis: Redis | null, memory: MemoryLimitStore, registry: Registry, clock: Clock) =>
        redis ? new FallbackLimitStore(new RedisLimitStore(redis), memory, registry, clock) : memory,
    },
    RateLimits,
    AddressBucket,
  ],
  exports: [LimitStore, RateLimits, AddressBucket],
})
class LimitsModule {}

/** Buckets, their storage, and the guard's configuration. */
@Module({
  imports: [
    LimitsModule,
    ThrottlerModule.forRootAsync({
      inject: [Config, LimitStore],
      useFactory: (config: Config, storage: LimitStore) => ({
        throttlers: throttlers(config),
        storage,
        getTracker: (_request, context: ExecutionContext) =>
          drawOf(requestOf(context).principal!, context.getHandler()).owner,
        generateKey: (_: ExecutionContext, owner: string, name: string) => keyOf(name as BucketName, owner),
      }),
    }),
  ],
  exports: [ThrottlerModule],
})
export class RateLimitModule {}
