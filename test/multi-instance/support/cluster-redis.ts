import { Redis } from 'ioredis';
import { leaseRedis } from '../../support/backend';
import { RedisProcess } from '../../support/redis-process';
import { TcpProxy } from './tcp-proxy';

/**
 * `shared`: a database of the Redis that all tests share. `own`: a process that the test may stop, freeze and restart.
 * `proxied`: the same, and each instance connects through its own proxy.
 */
export type RedisKind = 'shared' | 'own' | 'proxied';

export class ClusterRedis {
  private readonly proxies: TcpProxy[] = [];

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
    return new ClusterRedis(own.url, own, kind === 'proxied', () => own.removeProcess());
  }

  /** Redis of the cluster, unless it is shared. */
  get process(): RedisProcess {
    if (!this.own) throw new Error("This cluster's Redis is shared.");
    return this.own;
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
