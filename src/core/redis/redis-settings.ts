import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { ClusterClient } from './cluster-client';
import { listMasters, type RedisClient } from './redis-client';

const redisLogger = new Logger('Redis');

/** Thrown at start if Redis is a cluster and its URL is that of one server, which would serve only its own slots. */
export class RedisClusterError extends Error {
  constructor() {
    super('REDIS_URL points to a node of a Redis Cluster. Use redis+cluster://host:port,… instead.');
    this.name = 'RedisClusterError';
  }
}

/**
 * Checks the settings of Redis that the service depends on, in a cluster those of each master, unless Redis is
 * unavailable or refuses INFO to this user. Logs an error if it may evict keys: without leases and presence, devices
 * are unreachable from other instances.
 * @throws RedisClusterError
 */
export async function checkRedisSettings(redis: RedisClient): Promise<void> {
  if (redis.status !== 'ready') return;
  let infos: string[];
  try {
    infos = await Promise.all(listMasters(redis).map((master) => readInfo(master)));
  } catch (error) {
    redisLogger.warn({ reason: (error as Error).message }, 'Redis settings not checked');
    return;
  }
  if (!(redis instanceof ClusterClient) && /cluster_enabled:1/.test(infos.join())) {
    redis.disconnect();
    throw new RedisClusterError();
  }
  const policies = new Set(infos.map((info) => /maxmemory_policy:(\S+)/.exec(info)?.[1] ?? 'noeviction'));
  policies.delete('noeviction');
  for (const policy of policies)
    redisLogger.error({ policy }, 'Redis may evict keys, set maxmemory-policy to noeviction');
}

async function readInfo(server: Redis): Promise<string> {
  return (await server.info('cluster')) + (await server.info('memory'));
}
