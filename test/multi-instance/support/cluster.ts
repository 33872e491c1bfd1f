import { waitFor } from '../../support/wait-for';
import { HttpClient, type HttpResponse } from '../../support/http-client';
import { createMigratedDatabase, createTestDatabase, type TestDatabase } from '../../support/postgres';
import { createShiftedClockEnvironment } from '../../support/shifted-clock';
import { TestCleanup } from './test-cleanup';
import { ClusterRedis, DEFAULT_REDIS_KIND, type RedisKind } from './cluster-redis';
import { Instance } from './instance';
import { LoadBalancer } from './load-balancer';
import { findStablePort } from './stable-port';
import { TcpProxy } from './tcp-proxy';

export interface ClusterOptions {
  /** Two to four, three by default. */
  instances?: number;
  /** A Redis of the cluster, or one that the test has started. */
  redis?: RedisKind | { url: string };
  env?: NodeJS.ProcessEnv;
  /** Server on which to create an empty database. By default, the shared one with a migrated database. */
  postgresUrl?: string;
  /** Whether each instance connects to PostgreSQL through its own proxy. */
  isDatabaseProxied?: boolean;
  /** Whether the instances start on an empty database of the shared PostgreSQL. */
  startsEmpty?: boolean;
  /** Initial build of the instances, from `previousBuild`. The current build by default. */
  build?: string;
  /** Shift of each instance's wall clock in ms, 0 by default. */
  clocks?: number[];
}

/** For tests in which no load balancer has to notice that an instance stops. */
export const FAST_SHUTDOWN = { SHUTDOWN_NOTICE_SECONDS: '0' };

/** Needs no database, and its requests are logged, unlike those of health checks. */
const LOGGED_PATH = '/.well-known/oauth-authorization-server';

const LARGE_RATE_LIMITS = {
  RATE_LIMIT_METADATA: '1000000',
  RATE_LIMIT_RELAY: '1000000',
  RATE_LIMIT_ADDRESS: '1000000',
};

/** Production-like deployment: instances of the built service on one database and one Redis, behind HAProxy. */
export class Cluster {
  private constructor(
    private readonly testCleanup: TestCleanup,
    readonly testDatabase: TestDatabase,
    readonly redis: ClusterRedis,
    readonly instances: readonly Instance[],
    readonly balancer: LoadBalancer,
  ) {}

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const testCleanup = new TestCleanup();
    try {
      return await Cluster.startComponents(options, testCleanup);
    } catch (error) {
      await testCleanup.runSteps();
      throw error;
    }
  }

  private static async startComponents(options: ClusterOptions, testCleanup: TestCleanup): Promise<Cluster> {
    const [database, redis, port] = await Promise.all([
      createClusterDatabase(options).then((made) => (testCleanup.add(() => made.dropDatabase()), made)),
      ClusterRedis.start(options.redis ?? DEFAULT_REDIS_KIND).then(
        (made) => (testCleanup.add(() => made.stop()), made),
      ),
      findStablePort(),
    ]);
    const env = {
      ...database.env,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      TRUST_PROXY: '1',
      ...LARGE_RATE_LIMITS,
      // Three files run at a time, with up to three instances each. PostgreSQL has 100 connections by default.
      DATABASE_POOL_SIZE: '5',
      ...options.env,
    };
    const instances: Instance[] = [];
    for (let index = 0; index < (options.instances ?? 3); index++) {
      const { url, link } = await redis.openConnection();
      const ports = [await findStablePort(), await findStablePort()] as const;
      const databaseLink = options.isDatabaseProxied ? await openDatabaseLink(database.url) : null;
      testCleanup.add(() => databaseLink?.cutConnections());
      const own = {
        ...env,
        ...createShiftedClockEnvironment(options.clocks?.[index] ?? 0),
        ...(databaseLink && { DATABASE_URL: replacePort(database.url, databaseLink.port) }),
        REDIS_URL: url,
      };
      const instance = new Instance(index, ...ports, own, link, databaseLink, options.build);
      testCleanup.add(() => instance.isRunning && instance.killProcess());
      instances.push(instance);
    }
    await Promise.all(instances.map((instance) => instance.start()));
    const listening = instances.map((instance) => instance.port);
    const balancer = await LoadBalancer.start(port, listening);
    testCleanup.add(() => balancer.stop());
    return new Cluster(testCleanup, database, redis, instances, balancer);
  }

  /** Client through the load balancer. Responses must conform to the document of one of the instances' builds. */
  get http(): HttpClient {
    return new HttpClient(this.balancer.url, { getBuilds: () => this.instances.map(({ build }) => build) });
  }

  get runningInstances(): Instance[] {
    return this.instances.filter((instance) => instance.isRunning);
  }

  getInstance(index: number): Instance {
    const instance = this.instances[index];
    if (!instance) throw new Error(`There is no instance ${index}.`);
    return instance;
  }

  /** Returns the instance that sent this response. */
  findServingInstance(httpResponse: HttpResponse): Promise<Instance> {
    const requestId = httpResponse.headers.get('x-request-id')!;
    return waitFor(() => {
      const found = this.instances.find((instance) => instance.hasServed(requestId));
      if (!found) throw new Error(`No instance has logged ${requestId}.`);
      return found;
    });
  }

  /** Returns the instance to which the load balancer sends the next request. */
  async findNextInstance(): Promise<Instance> {
    return this.findServingInstance(await this.http.get(LOGGED_PATH));
  }

  /** Waits until the load balancer sends requests to exactly these instances, by default all running ones. */
  async waitUntilBalanced(expected: readonly Instance[] = this.runningInstances): Promise<void> {
    await waitFor(async () => {
      const found = new Set<Instance>();
      for (let n = 0; n < 2 * this.instances.length; n++) {
        found.add(await this.findNextInstance());
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

  /** Stops all processes, drops the database and closes all connections. */
  stop(): Promise<void> {
    return this.testCleanup.runSteps();
  }
}

/** A previous build migrates its database by itself, because it doesn't know later migrations. */
function createClusterDatabase({ postgresUrl, startsEmpty, build }: ClusterOptions): Promise<TestDatabase> {
  return postgresUrl || startsEmpty || build ? createTestDatabase(postgresUrl) : createMigratedDatabase();
}

function openDatabaseLink(url: string): Promise<TcpProxy> {
  return TcpProxy.start(Number(new URL(url).port || 5432));
}

function replacePort(url: string, port: number): string {
  return Object.assign(new URL(url), { port: String(port) }).href;
}
