import { Client } from 'pg';
import { createBackend, type Backend } from '../../test/support/backend';
import { AccountDevice } from '../../test/support/device/foreign-device';
import { freePort } from '../../test/support/free-port';
import { HttpClient } from '../../test/support/http-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from './child';

const SCOPES = ['sessions:read', 'machines:read', 'machines:invoke', 'usage:read'];
const MAIN = 'dist/src/main.js';
const UNLIMITED = { RATE_LIMIT_METADATA: '1000000', RATE_LIMIT_RELAY: '1000000' };

/** One running instance of the built service. */
export class Instance {
  private constructor(
    readonly child: Child,
    readonly url: string,
  ) {}

  static async start(env: NodeJS.ProcessEnv, main: string): Promise<Instance> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const child = Child.start(main, { ...env, ...UNLIMITED, PORT: String(port), PUBLIC_URL: url });
    const instance = new Instance(child, url);
    while (!(await instance.isReady())) {
      if (!child.isRunning) throw new Error('the service did not start');
      await sleep(50);
    }
    return instance;
  }

  get http(): HttpClient {
    return new HttpClient(this.url);
  }

  stop(): Promise<void> {
    return this.child.stop();
  }

  private isReady(): Promise<boolean> {
    return fetch(`${this.url}/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
  }
}

/** A database and a Redis of one row's own, instances of the service on them, an account and its token. */
export class Scene {
  readonly instances: Instance[] = [];
  ada!: AccountDevice;
  token!: string;

  private constructor(
    private readonly backend: Backend,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  static async start(
    instances = 1,
    env: NodeJS.ProcessEnv = {},
    backend: 'services' | 'embedded' | Backend = 'services',
  ): Promise<Scene> {
    const scene = new Scene(typeof backend === 'string' ? await createBackend(backend) : backend, env);
    try {
      for (let i = 0; i < instances; i++) await scene.addInstance();
      scene.ada = await AccountDevice.signUp(scene.first.http);
      ({ token: scene.token } = await scene.ada.createToken(SCOPES));
      return scene;
    } catch (error) {
      await scene.stop();
      throw error;
    }
  }

  get first(): Instance {
    return this.instances[0]!;
  }

  /** @param main what to start instead of the service's own main */
  async addInstance(main = MAIN): Promise<Instance> {
    const instance = await Instance.start({ ...this.backend.env, ...this.env }, main);
    this.instances.push(instance);
    return instance;
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
