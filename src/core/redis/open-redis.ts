import { Logger } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';

/** Injection token of the connection for commands, which is null without REDIS_URL. */
export const REDIS_CLIENT = Symbol('REDIS_CLIENT');

const redisLogger = new Logger('Redis');
const SENTINEL_URL = /^(rediss?)\+sentinel:\/\/(?:([^:@/]*):([^@/]*)@)?([^@/]+)\/([\w.-]+)(?:\/(\d+))?$/;
const SENTINEL_PORT = 26_379;

/** Opens a connection that reconnects by itself. Commands fail immediately while it is disconnected. */
export function openRedisConnection(url: string, options: RedisOptions = {}): Redis {
  const settings: RedisOptions = {
    // Callers decide what to do without Redis; a queue would only delay them.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // Reconnects if commands remain unanswered. Callers limit their own wait by `withTimeout`.
    socketTimeout: 3_000,
    connectTimeout: 2_000,
    retryStrategy: getReconnectDelayMs,
    sentinelRetryStrategy: getReconnectDelayMs,
    // Reconnects after a failover, when the connected server has become a replica. Does not resend the command.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    ...options,
  };
  const sentinel = parseSentinelUrl(url);
  const redis = sentinel ? new Redis({ ...sentinel, ...settings }) : new Redis(url, settings);
  redis.on('error', (error: Error) => redisLogger.debug({ reason: error.message }, 'Redis connection error'));
  return redis;
}

function getReconnectDelayMs(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 5), 500);
}

/**
 * Thrown at start if Redis runs as a cluster, which isn't supported: PUBLISH counts the receivers of one node only, and
 * scripts can't access keys of several nodes (docs/protocol/relay.md#routing-between-instances).
 */
export class RedisClusterError extends Error {
  constructor() {
    super('REDIS_URL points to a Redis Cluster. Use a single Redis, with replicas and Sentinel for high availability.');
    this.name = 'RedisClusterError';
  }
}

/** Skips the check while Redis is unavailable. @throws RedisClusterError */
export async function rejectRedisCluster(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') return;
  if (/cluster_enabled:1/.test(await redis.info('cluster'))) {
    redis.disconnect();
    throw new RedisClusterError();
  }
}

/**
 * Parses `redis+sentinel://[user:password@]host[:port],…/master[/database]`, or `rediss+sentinel://` for TLS to both
 * Redis and its Sentinels. Returns null for other URLs.
 */
export function parseSentinelUrl(url: string): RedisOptions | null {
  const parts = SENTINEL_URL.exec(url);
  if (!parts) return null;
  const [, scheme, username, password, hosts, name, database] = parts;
  return {
    sentinels: hosts!.split(',').map(parseAddress),
    name: name!,
    db: Number(database ?? 0),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(scheme === 'rediss' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}

function parseAddress(text: string): { host: string; port: number } {
  const [, host, port] = /^(.+?)(?::(\d+))?$/.exec(text.trim())!;
  return { host: host!, port: Number(port ?? SENTINEL_PORT) };
}
