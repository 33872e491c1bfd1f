import type { Redis } from 'ioredis';
import { ClusterClient } from './cluster-client';

/** Injection token of the client for commands, which is null without REDIS_URL. */
export const REDIS_CLIENT = Symbol('REDIS_CLIENT');

/** Client for commands, to one Redis or to all nodes of a Redis Cluster. */
export type RedisClient = Redis | ClusterClient;

/**
 * Returns the id as part of a key or channel. In a cluster, keys and channels with the same id are on the same node,
 * where one script can use them: braces enclose the part of a name that decides on its slot. One Redis has them
 * without braces, as the previous release expects.
 */
export function tagForSlot(redis: RedisClient, id: string): string {
  return redis instanceof ClusterClient ? `{${id}}` : id;
}

/** Returns the server that has the key, the same string for all keys of one server. */
export function findServer(redis: RedisClient, key: string): string {
  return redis instanceof ClusterClient ? redis.findMaster(key) : '';
}

/** Returns the connections to all masters, of which one Redis has one. */
export function listMasters(redis: RedisClient): Redis[] {
  return redis instanceof ClusterClient ? redis.nodes('master') : [redis];
}

/**
 * Resolves if any master answers. A client that has lost all masters it was connected to first asks the cluster's other
 * nodes for more.
 */
export async function pingAnyMaster(redis: RedisClient): Promise<void> {
  const pingAny = () => Promise.any(listMasters(redis).map((master) => master.ping()));
  try {
    await pingAny();
  } catch (error) {
    if (!(redis instanceof ClusterClient)) throw error;
    await redis.refreshSlots();
    await pingAny();
  }
}

/**
 * Publishes to a channel, as `Subscriber` receives it. In a cluster, a sharded message reaches
 * one node and its replicas, an ordinary one all nodes.
 * @returns the number of subscribers on that server
 */
export function publishMessage(redis: RedisClient, channel: string, message: string): Promise<number> {
  if (redis instanceof ClusterClient) return redis.spublish(channel, message) as Promise<number>;
  return redis.publish(channel, message);
}

/**
 * Sends all commands of this iteration of the event loop with one write (docs/performance.md#log-lines), except to a
 * cluster.
 */
export function gatherWrites(redis: RedisClient): void {
  if (redis instanceof ClusterClient) return;
  // Its type doesn't say that there is none before the first connection.
  const stream = redis.stream as Redis['stream'] | undefined;
  if (!stream || stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
