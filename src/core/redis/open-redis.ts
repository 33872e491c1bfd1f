import { Logger } from '@nestjs/common';
import { Redis, type ClusterOptions, type RedisOptions } from 'ioredis';
import { isTracing } from '../../common/tracing';
import { parseClusterUrl, parseSentinelUrl } from '../config';
import { traceCommands } from '../tracing';
import { ClusterClient } from './cluster-client';
import { NodeConnector } from './node-connector';
import type { RedisClient } from './redis-client';

const redisLogger = new Logger('Redis');

// The rights of production.md don't include CLIENT SETINFO, which Redis 7.0 doesn't know and later releases would log
// as denied. Only the default options reach the connections, too, that ioredis opens to Sentinels and in a cluster.
Object.assign(Redis['defaultOptions'], { disableClientInfo: true });

const CONNECTION_OPTIONS: RedisOptions = {
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
};

const CLUSTER_OPTIONS: ClusterOptions = {
  clusterRetryStrategy: getReconnectDelayMs,
  slotsRefreshInterval: 5_000,
  // A command whose connection was lost may have run, so the client must not send it again.
  retryDelayOnFailover: 0,
  // Callers decide what to do when the cluster does not serve a slot, as without a connection.
  retryDelayOnClusterDown: 0,
  // Nodes are connected to by name, which their TLS certificates are for.
  dnsLookup: (address, callback) => callback(null, address),
};

/** Opens a client for commands that reconnects by itself. Commands fail immediately while it is disconnected. */
export function openRedisClient(url: string, options: RedisOptions = {}): RedisClient {
  const cluster = parseClusterUrl(url);
  if (!cluster) return openRedisConnection(url, options);
  const { lazyConnect = false, ...more } = options;
  const Connector = NodeConnector as unknown as NonNullable<RedisOptions['Connector']>;
  const redisOptions = { ...CONNECTION_OPTIONS, ...more, ...cluster.options, Connector };
  // A pipeline would fail as a whole if the slot of one command moves, although its other commands have run.
  delete redisOptions.enableAutoPipelining;
  const client = new ClusterClient(cluster.nodes, { ...CLUSTER_OPTIONS, lazyConnect, redisOptions });
  logConnectionErrors(client);
  if (isTracing()) traceCommands(client);
  return client;
}

/** Opens a connection to one server that reconnects by itself: in a cluster, to the first node of the URL. */
export function openRedisConnection(url: string, options: RedisOptions = {}): Redis {
  const settings = { ...CONNECTION_OPTIONS, ...options };
  const cluster = parseClusterUrl(url);
  const address = cluster ? { ...cluster.options, ...cluster.nodes[0] } : parseSentinelUrl(url);
  const redis = address ? new Redis({ ...address, ...settings }) : new Redis(url, settings);
  logConnectionErrors(redis);
  if (isTracing()) traceCommands(redis);
  return redis;
}

/** Logs each reason once until the connection is ready again, because it is retried several times a second. */
function logConnectionErrors(redis: RedisClient): void {
  const loggedReasons = new Set<string>();
  redis.on('ready', () => loggedReasons.clear());
  redis.on('error', ({ message, lastNodeError }: Error & { lastNodeError?: Error }) => {
    const reason = lastNodeError?.message ?? message;
    if (loggedReasons.has(reason)) return;
    loggedReasons.add(reason);
    redisLogger.warn({ reason }, 'Redis connection failed');
  });
}

function getReconnectDelayMs(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 5), 500);
}
