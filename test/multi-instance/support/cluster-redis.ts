import { Redis } from 'ioredis';
import { parseSentinelUrl } from '../../../src/core/config';
import { leaseRedis } from '../../support/backend';
import { RedisCluster } from '../../support/redis-cluster';
import { RedisProcess } from '../../support/redis-process';
import { TcpProxy } from './tcp-proxy';

/**
 * `shared`: a database of the Redis that all tests share. `own`: a process that the test may stop, freeze and restart.
 * `proxied`: the same, and each instance connects through its own proxy. `cluster`: a Redis Cluster.
 */
export type RedisKind = 'shared' | 'own' | 'proxied' | 'cluster';

/** Kind for tests that name none: `TEST_REDIS=cluster` runs them on a Redis Cluster. */
export const DEFAULT_REDIS_KIND: RedisKind = process.env.TEST_REDIS === 'cluster' ? 'cluster' : 'own';

export class ClusterRedis {
  private readonly proxies: TcpProxy[] = [];

  private constructor(
    readonly url: string,
    private readonly own: RedisProcess | RedisCluster | null,
    private readonly isProxied: boolean,
    private readonly release: () => Promise<void>,
  ) {}

  /** @param kind kind of Redis, or one that the test starts and stops */
  static async start(kind: RedisKind | { url: string }): Promise<ClusterRedis> {
    if (typeof kind === 'object') {
      const nodes = kind instanceof RedisCluster ? kind : null;
      return new ClusterRedis(kind.url, nodes, false, () => Promise.resolve());
    }
    if (kind === 'shared') {
      const { url, release } = await leaseRedis();
      return new ClusterRedis(url, null, false, release);
    }
    if (kind === 'cluster') {
      const nodes = await RedisCluster.start();
      return new ClusterRedis(nodes.url, nodes, false, () => nodes.remove());
    }
    const own = await RedisProcess.start();
    return new ClusterRedis(own.url, own, kind === 'proxied', () => own.removeProcess());
  }

  /** Redis of the cluster of instances, if it is one process of its own. */
  get process(): RedisProcess {
    if (!(this.own instanceof RedisProcess)) throw new Error("This cluster's Redis is not a process of its own.");
    return this.own;
  }

  /** The Redis Cluster of the cluster of instances. */
  get nodes(): RedisCluster {
    if (!(this.own instanceof RedisCluster)) throw new Error("This cluster's Redis is not a Redis Cluster.");
    return this.own;
  }

  /** Returns all keys, sorted. */
  async listKeys(): Promise<string[]> {
    if (this.own instanceof RedisCluster) return this.own.listKeys();
    const sentinel = parseSentinelUrl(this.url);
    const redis = sentinel ? new Redis(sentinel) : new Redis(this.url);
    try {
      const keys: string[] = [];
      for await (const batch of redis.scanStream({ count: 1_000 })) keys.push(...(batch as string[]));
      return [...new Set(keys)].sort();
    } finally {
      redis.disconnect();
    }
  }

  /** Opens a connection for one more instance: its own proxy if the cluster's Redis is proxied. */
  async openConnection(): Promise<{ url: string; link: TcpProxy | null }> {
    if (!this.isProxied) return { url: this.url, link: null };
    const link = await TcpProxy.start(this.process.port);
    this.proxies.push(link);
    return { url: `redis://127.0.0.1:${link.port}`, link };
  }

  /** Silences the connections of all instances. */
  blockConnections(): void {
    for (const link of this.requireProxies()) link.blockTraffic();
  }

  async cutConnections(): Promise<void> {
    await Promise.all(this.requireProxies().map((link) => link.cutConnections()));
  }

  async restoreConnections(): Promise<void> {
    await Promise.all(this.requireProxies().map((link) => link.restoreTraffic()));
  }

  /** Publishes the first message to an instance that contains these marks a second time. */
  async repeatMessage(...marks: string[]): Promise<{ repeated: Promise<void> }> {
    const [listener, redis] = [new Redis(this.url), new Redis(this.url)];
    await listener.psubscribe('relay:to:*');
    const repeated = new Promise<void>((resolve, reject) => {
      listener.on('pmessage', (_pattern, channel: string, message: string) => {
        if (!marks.every((mark) => message.includes(mark))) return;
        // The copy may arrive before the connection is closed.
        listener.removeAllListeners('pmessage').disconnect();
        redis
          .publish(channel, message)
          .then(() => resolve(), reject)
          .finally(() => redis.disconnect());
      });
    });
    return { repeated };
  }

  async stop(): Promise<void> {
    await Promise.all(this.proxies.map((link) => link.cutConnections()));
    await this.release();
  }

  private requireProxies(): TcpProxy[] {
    if (!this.isProxied) throw new Error("This cluster's Redis is not proxied.");
    return this.proxies;
  }
}
