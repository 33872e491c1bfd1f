import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config';
import { ChangeSignals } from './change-signals';
import { openRedisClient } from './open-redis';
import { REDIS_CLIENT, type RedisClient } from './redis-client';
import { checkRedisSettings } from './redis-settings';

/** Client of Redis, which is optional and may be unavailable at any time, including at start. */
@Module({
  providers: [
    ChangeSignals,
    {
      provide: REDIS_CLIENT,
      inject: [Config],
      useFactory: async ({ redisUrl }: Config) => {
        if (!redisUrl) return null;
        // Concurrent calls share one write and one read for their rate limits (docs/decisions/0024).
        const redis = openRedisClient(redisUrl, { enableAutoPipelining: true });
        await waitForFirstConnection(redis);
        await checkRedisSettings(redis);
        return redis;
      },
    },
  ],
  exports: [ChangeSignals, REDIS_CLIENT],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS_CLIENT) private readonly redis: RedisClient | null) {}

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }
}

/** Waits until the first connection attempt has succeeded or failed, so that a normal start includes Redis. */
function waitForFirstConnection(redis: RedisClient): Promise<void> {
  return new Promise((resolve) => {
    redis.once('ready', () => resolve());
    redis.once('error', () => resolve());
  });
}
