import { DynamicModule, Global, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Config } from '../config';

/** The connection for commands, or null where the service runs without Redis. */
export const REDIS = Symbol('REDIS');

const logger = new Logger('Redis');

function open(url: string): Redis {
  const redis = new Redis(url, {
    // A command that cannot be sent at once fails at once: callers know better than a queue what to do then.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 5), 1_000),
  });
  redis.on('error', (error: Error) => logger.debug({ reason: error.message }, 'Redis connection error'));
  return redis;
}

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
            const redis = open(redisUrl);
            await firstAttempt(redis);
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
