import { Client } from 'pg';
import { createBackend, type Backend } from '../../test/support/backend';
import { ForeignAccountDevice } from '../../test/support/device/foreign-device';
import { findFreePort } from '../../test/support/find-free-port';
import { HttpClient } from '../../test/support/http-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchProcess } from './bench-process';

const SCOPES = ['sessions:read', 'machines:read', 'machines:invoke', 'usage:read'];
/** Main file of the service in a built checkout: the bundle that `npm start` and the image run. */
export const SERVICE_MAIN = 'dist/programs/service.js';
const UNLIMITED_ENV = {
  RATE_LIMIT_METADATA: '1000000',
  RATE_LIMIT_RELAY: '1000000',
  // Thousands of devices connect and sign in from one address.
  UNJOINED_SOCKETS_PER_ADDRESS: '1000',
  RATE_LIMIT_ADDRESS: '1000000',
};

/** One running instance of the built service. */
export class BenchInstance {
  private constructor(
    readonly benchProcess: BenchProcess,
    readonly url: string,
  ) {}

  static async start(env: NodeJS.ProcessEnv, main: string): Promise<BenchInstance> {
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const benchProcess = BenchProcess.start(main, {
      ...env,
      ...UNLIMITED_ENV,
      PORT: String(port),
      PUBLIC_URL: url,
    });
    const benchInstance = new BenchInstance(benchProcess, url);
    while (!(await benchInstance.isReady())) {
      if (!benchProcess.isRunning) throw new Error('the service did not start');
      await sleep(50);
    }
    return benchInstance;
  }

  get http(): HttpClient {
    return new HttpClient(this.url);
  }

  stop(): Promise<void> {
    return this.benchProcess.stop();
  }

  private isReady(): Promise<boolean> {
    return fetch(`${this.url}/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
  }
}

/** Database and Redis of one row, with instances of the service, an account and a token. */
export class BenchFixture {
  readonly instances: BenchInstance[] = [];
  ada!: ForeignAccountDevice;
  token!: string;

  private constructor(
    private readonly backend: Backend,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** @param main script to start instead of the service's main file */
  static async start(
    instances = 1,
    env: NodeJS.ProcessEnv = {},
    backend: 'services' | 'embedded' | Backend = 'services',
    main = SERVICE_MAIN,
  ): Promise<BenchFixture> {
    const benchFixture = new BenchFixture(typeof backend === 'string' ? await createBackend(backend) : backend, env);
    try {
      for (let i = 0; i < instances; i++) await benchFixture.addInstance(main);
      benchFixture.ada = await ForeignAccountDevice.signUp(benchFixture.firstInstance.http);
      ({ token: benchFixture.token } = await benchFixture.ada.createToken(SCOPES));
      return benchFixture;
    } catch (error) {
      await benchFixture.stop();
      throw error;
    }
  }

  get firstInstance(): BenchInstance {
    return this.instances[0]!;
  }

  /** @param main script to start instead of the service's main file */
  async addInstance(main = SERVICE_MAIN): Promise<BenchInstance> {
    const benchInstance = await BenchInstance.start({ ...this.backend.env, ...this.env }, main);
    this.instances.push(benchInstance);
    return benchInstance;
  }

  get redisUrl(): string {
    return this.backend.env.REDIS_URL!;
  }

  get databaseUrl(): string {
    return this.backend.env.DATABASE_URL!;
  }

  async query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const client = new Client({ connectionString: this.backend.env.DATABASE_URL });
    await client.connect();
    try {
      return (await client.query(sql, parameters)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  stop = async (): Promise<void> => {
    await Promise.all(this.instances.map((instance) => instance.stop()));
    await this.backend.dispose();
  };
}
