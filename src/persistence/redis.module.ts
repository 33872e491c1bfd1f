import { DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Config } from '../config';
import { openRedis, refuseCluster } from './open-redis';

/** The connection for commands, or null where the service runs without Redis. */
export const REDIS = Symbol('REDIS');

/** Redis is optional and may be away at any time, at the start too. */
@Global()
@Module({})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis | null) {}

  static forRoot(): DynamicModule {
    return {
      module: RedisModule,
      providers: [
        {
          provide: REDIS,
          inject: [Config],
          useFactory: async ({ redisUrl }: Config) => {
            if (!redisUrl) return null;
            // Calls that came at once count their draws in one write and one read (docs/decisions/0024).
            const redis = openRedis(redisUrl, { enableAutoPipelining: true });
            await firstAttempt(redis);
            await refuseCluster(redis);
            return redis;
          },
        },
      ],
      exports: [REDIS],
    };
  }

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }
}

/** Waits until the first connection stands or has failed, so that a normal start begins with Redis at hand. */
function firstAttempt(redis: Redis): Promise<void> {
  return new Promise((resolve) => {
    redis.once('ready', () => resolve());
    redis.once('error', () => resolve());
  });
}
