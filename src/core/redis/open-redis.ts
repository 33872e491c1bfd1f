import { Logger } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { isTracing } from '../../common/tracing';
import { traceCommands } from '../tracing';

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
  logConnectionErrors(redis);
  if (isTracing()) traceCommands(redis);
  return redis;
}

/** Logs each reason once until the connection is ready again, because it is retried several times a second. */
function logConnectionErrors(redis: Redis): void {
  const loggedReasons = new Set<string>();
  redis.on('ready', () => loggedReasons.clear());
  redis.on('error', ({ message: reason }: Error) => {
    if (loggedReasons.has(reason)) return;
    loggedReasons.add(reason);
    redisLogger.warn({ reason }, 'Redis connection failed');
  });
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

/**
 * Checks the settings of Redis that the service depends on, unless Redis is unavailable or refuses INFO to this user.
 * Logs an error if it may evict keys: without leases and presence, devices are unreachable from other instances.
 * @throws RedisClusterError
 */
export async function checkRedisSettings(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') return;
  let info: string;
  try {
    info = (await redis.info('cluster')) + (await redis.info('memory'));
  } catch (error) {
    redisLogger.warn({ reason: (error as Error).message }, 'Redis settings not checked');
    return;
  }
  if (/cluster_enabled:1/.test(info)) {
    redis.disconnect();
    throw new RedisClusterError();
  }
  const policy = /maxmemory_policy:(\S+)/.exec(info)?.[1] ?? 'noeviction';
  if (policy === 'noeviction') return;
  redisLogger.error({ policy }, 'Redis may evict keys, set maxmemory-policy to noeviction');
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
