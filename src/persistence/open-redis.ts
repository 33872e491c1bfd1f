import { Logger } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { sentinelOptions } from './redis-address';

const logger = new Logger('Redis');

/** A connection that mends itself, and on which what cannot be sent at once fails at once. */
export function openRedis(url: string, options: RedisOptions = {}): Redis {
  const settings: RedisOptions = {
    // Callers know better than a queue what to do then.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // A connection on which commands stay unanswered is made anew; who waits for one says how long (`answered`).
    socketTimeout: 3_000,
    connectTimeout: 2_000,
    retryStrategy: backOff,
    sentinelRetryStrategy: backOff,
    // A master that was demoted: its successor is to be looked for. What it refused is not sent again.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    ...options,
  };
  const sentinel = sentinelOptions(url);
  const redis = sentinel ? new Redis({ ...sentinel, ...settings }) : new Redis(url, settings);
  redis.on('error', (error: Error) => logger.debug({ reason: error.message }, 'Redis connection error'));
  return redis;
}

function backOff(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 5), 500);
}

/** Its PUBLISH counts receivers of one node only, and its scripts may not reach over all keys (relay.md). */
export class RedisClusterError extends Error {
  constructor() {
    super('REDIS_URL names a Redis Cluster. One Redis is needed, with replicas and Sentinel if it is to survive.');
    this.name = 'RedisClusterError';
  }
}

/** Does nothing while Redis is away. @throws RedisClusterError */
export async function refuseCluster(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') return;
  if (/cluster_enabled:1/.test(await redis.info('cluster'))) {
    redis.disconnect();
    throw new RedisClusterError();
  }
}
