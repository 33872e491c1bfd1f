import { Logger } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';

const logger = new Logger('Redis');

/** A connection that mends itself, and on which what cannot be sent at once fails at once. */
export function openRedis(url: string, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    // Callers know better than a queue what to do then.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 5), 500),
    ...options,
  });
  redis.on('error', (error: Error) => logger.debug({ reason: error.message }, 'Redis connection error'));
  return redis;
}
