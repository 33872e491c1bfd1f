import { eventually } from '../../support/eventually';
import type { Answer, HttpClient } from '../../support/http-client';
import { createDatabase, type Database } from '../../support/postgres';
import { shiftedClock } from '../../support/shifted-clock';
import { Cleanup } from './cleanup';
import { ClusterRedis, type RedisKind } from './cluster-redis';
import { Instance } from './instance';
import { LoadBalancer } from './load-balancer';
import { stablePort } from './stable-port';

export interface ClusterOptions {
  /** Two to four; three unless given. */
  instances?: number;
  redis?: RedisKind;
  env?: NodeJS.ProcessEnv;
  /** A PostgreSQL of the test's own; the shared one unless given. */
  postgresUrl?: string;
  /** What the instances run at first, as `previousBuild` makes it; the present build unless given. */
  build?: string;
  /** How many ms each instance's wall clock is ahead; right unless given. */
  clocks?: number[];
}

const LARGE_BUCKETS = { RATE_LIMIT_METADATA: '1000000', RATE_LIMIT_RELAY: '1000000' };

/** The production shape: instances of the built service on one database and one Redis, HAProxy in front. */
export class Cluster {
  private constructor(
    private readonly cleanup: Cleanup,
    readonly database: Database,
    readonly redis: ClusterRedis,
    readonly instances: readonly Instance[],
    readonly balancer: LoadBalancer,
  ) {}

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const cleanup = new Cleanup();
    try {
      return await Cluster.startParts(options, cleanup);
    } catch (error) {
      await cleanup.run();
      throw error;
    }
  }

  private static async startParts(options: ClusterOptions, cleanup: Cleanup): Promise<Cluster> {
    const [database, redis, port] = await Promise.all([
      createDatabase(options.postgresUrl).then((made) => (cleanup.add(() => made.drop()), made)),
      ClusterRedis.start(options.redis ?? 'own').then((made) => (cleanup.add(() => made.stop()), made)),
      stablePort(),
    ]);
    const env = {
      ...database.env,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      TRUST_PROXY: '1',
      ...LARGE_BUCKETS,
      ...options.env,
    };
    const instances: Instance[] = [];
    for (let index = 0; index < (options.instances ?? 3); index++) {
      const { url, link } = await redis.connection();
      const ports = [await stablePort(), await stablePort()] as const;
      const own = { ...env, ...shiftedClock(options.clocks?.[index] ?? 0), REDIS_URL: url };
      const instance = new Instance(index, ...ports, own, link, options.build);
      cleanup.add(() => instance.isRunning && instance.kill());
      instances.push(instance);
    }
    await Promise.all(instances.map((instance) => instance.start()));
    const listening = instances.map((instance) => instance.port);
    const balancer = await LoadBalancer.start(port, listening);
    cleanup.add(() => balancer.stop());
    return new Cluster(cleanup, database, redis, instances, balancer);
  }

  /** Through the load balancer. */
  get http(): HttpClient {
    return this.balancer.http;
  }

  get running(): Instance[] {
    return this.instances.filter((instance) => instance.isRunning);
  }

  instance(index: number): Instance {
    const instance = this.instances[index];
    if (!instance) throw new Error(`There is no instance ${index}.`);
    return instance;
  }

  /** Which instance gave this answer. */
  servedBy(answer: Answer): Promise<Instance> {
    const requestId = answer.headers.get('x-request-id')!;
    return eventually(() => {
      const found = this.instances.find((instance) => instance.served(requestId));
      if (!found) throw new Error(`No instance has logged ${requestId}.`);
      return found;
    });
  }

  /** Until the load balancer sends requests to exactly these; all that run, unless given. */
  async balancedOver(expected: readonly Instance[] = this.running): Promise<void> {
    await eventually(async () => {
      const found = new Set<Instance>();
      for (let n = 0; n < 2 * this.instances.length; n++) {
        found.add(await this.servedBy(await this.http.get('/health/live')));
      }
      const names = (list: Iterable<Instance>) =>
        [...list]
          .map(({ index }) => index)
          .sort()
          .join();
      if (names(found) !== names(expected)) {
        throw new Error(`Requests go to the instances ${names(found)} instead of ${names(expected)}.`);
      }
    }, 10_000);
  }

  /** Leaves nothing behind: no process, no database, no connection. */
  stop(): Promise<void> {
    return this.cleanup.run();
  }
}
