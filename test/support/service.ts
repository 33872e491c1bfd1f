import { Writable } from 'node:stream';
import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../src/bootstrap';
import { Clock } from '../../src/common/clock';
import { loadConfig } from '../../src/config';
import { createBackend, type Backend } from './backend';
import { freePort } from './free-port';
import { HttpClient } from './http-client';

/** The real service on a free port, with a real database behind it; nothing in it is replaced but its clock. */
export class Service {
  private readonly backend: Backend;
  private offsetMs = 0;

  private constructor(
    backend: Backend,
    readonly app: NestExpressApplication,
    readonly url: string,
    readonly logs: string[],
    private readonly env: NodeJS.ProcessEnv,
  ) {
    this.backend = backend;
    app.get(Clock).now = () => Date.now() + this.offsetMs;
  }

  /** @param extra modules of the test, beside the whole application */
  static async start(env: NodeJS.ProcessEnv = {}, backend?: Backend, extra: Type[] = []): Promise<Service> {
    const own = backend ?? (await createBackend());
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const logs: string[] = [];
    const config = loadConfig({ PUBLIC_URL: url, PORT: String(port), ...own.env, ...env });
    const app = await createApp(config, collector(logs), extra);
    await app.listen(port, '127.0.0.1');
    return new Service(own, app, url, logs, env);
  }

  get http(): HttpClient {
    return new HttpClient(this.url);
  }

  /** The time that devices go by: Redis's, where instances share one, else the service's own. */
  get deviceTime(): number {
    return Date.now() + (process.env.TEST_BACKEND === 'services' ? 0 : this.offsetMs);
  }

  /** Moves the service's clock; the machine's goes on as it does. */
  advance(ms: number): void {
    this.offsetMs += ms;
  }

  /** Stops it cleanly and starts another one on the same data. */
  async restart(): Promise<Service> {
    await this.app.close();
    return Service.start(this.env, this.backend);
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.backend.dispose();
  }
}

function collector(lines: string[]): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
}
