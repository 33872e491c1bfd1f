import { Redis } from 'ioredis';
import { leaseRedis } from '../../support/backend';
import { RedisProcess } from '../../support/redis-process';
import { TcpProxy } from './tcp-proxy';

/**
 * `shared`: a database of the Redis that all tests share. `own`: a process that the test may end, freeze and start
 * again. `proxied`: the same, and each instance reaches it over a path of its own.
 */
export type RedisKind = 'shared' | 'own' | 'proxied';

export class ClusterRedis {
  private readonly links: TcpProxy[] = [];

  private constructor(
    readonly url: string,
    private readonly own: RedisProcess | null,
    private readonly isProxied: boolean,
    private readonly release: () => Promise<void>,
  ) {}

  static async start(kind: RedisKind): Promise<ClusterRedis> {
    if (kind === 'shared') {
      const { url, release } = await leaseRedis();
      return new ClusterRedis(url, null, false, release);
    }
    const own = await RedisProcess.start();
    return new ClusterRedis(own.url, own, kind === 'proxied', () => own.remove());
  }

  /** The Redis itself, where it is the cluster's own. */
  get process(): RedisProcess {
    if (!this.own) throw new Error("This cluster's Redis is shared.");
    return this.own;
  }

  /** How one more instance reaches it. */
  async connection(): Promise<{ url: string; link: TcpProxy | null }> {
    if (!this.isProxied) return { url: this.url, link: null };
    const link = await TcpProxy.start(this.process.port);
    this.links.push(link);
    return { url: `redis://127.0.0.1:${link.port}`, link };
  }

  /** All instances' paths at once. */
  blackhole(): void {
    for (const link of this.proxied()) link.blackhole();
  }

  async cut(): Promise<void> {
    await Promise.all(this.proxied().map((link) => link.cut()));
  }

  async restore(): Promise<void> {
    await Promise.all(this.proxied().map((link) => link.restore()));
  }

  /** A message as it is, to every instance's own channel. */
  async publishToInstances(message: string): Promise<void> {
    const redis = new Redis(this.url);
    const channels = (await redis.pubsub('CHANNELS', 'relay:to:*')) as string[];
    for (const channel of channels) await redis.publish(channel, message);
    redis.disconnect();
  }

  async stop(): Promise<void> {
    await Promise.all(this.links.map((link) => link.cut()));
    await this.release();
  }

  private proxied(): TcpProxy[] {
    if (!this.isProxied) throw new Error("This cluster's Redis is not proxied.");
    return this.links;
  }
}
