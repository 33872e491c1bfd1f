import { Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { Clock } from '../common/clock';
import { Config } from '../config';
import { REDIS } from '../persistence';
import { AddressBucket } from './address-bucket';
import { buckets } from './buckets';
import { FallbackLimitStore } from './fallback-limit-store';
import { LimitStore } from './limit-store';
import { MemoryLimitStore } from './memory-limit-store';
import { RateLimits } from './rate-limits';
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
      }),
    }),
  ],
  exports: [ThrottlerModule],
})
export class RateLimitModule {}

/** The buckets that routes draw on, in @nestjs/throttler's terms. */
function throttlers(config: Config) {
  const { metadata, relay, device } = buckets(config);
  return [metadata, relay, device].map(({ name, limit, windowMs }) => ({ name, limit, ttl: windowMs }));
}
