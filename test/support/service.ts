import { Writable } from 'node:stream';
import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../src/bootstrap';
import { Clock } from '../../src/common/clock';
import { loadConfig } from '../../src/core/config';
import { createBackend, type Backend } from './backend';
import { findFreePort } from './find-free-port';
import { HttpClient } from './http-client';

/** Real service on a free port with a real database. Only its clock is replaced. */
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
    app.get(Clock).now = () => this.now;
  }

  /** @param extra modules of the test in addition to the application */
  static async start(env: NodeJS.ProcessEnv = {}, backend?: Backend, extra: Type[] = []): Promise<Service> {
    const own = backend ?? (await createBackend());
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const logs: string[] = [];
    const config = loadConfig({ PUBLIC_URL: url, PORT: String(port), ...own.env, ...env });
    const app = await createApp(config, createLogCollector(logs), extra);
    await app.listen(port, '127.0.0.1');
    return new Service(own, app, url, logs, env);
  }

  get http(): HttpClient {
    return new HttpClient(this.url, { logs: this.logs });
  }

  /** Time of the service, Unix ms. */
  get now(): number {
    return Date.now() + this.offsetMs;
  }

  /** Returns server time as devices know it: Redis time if instances share a Redis, the service's clock otherwise. */
  get deviceTime(): number {
    return Date.now() + (process.env.TEST_BACKEND === 'services' ? 0 : this.offsetMs);
  }

  /** Advances the service's clock, but not the machine's. */
  advanceClock(ms: number): void {
    this.offsetMs += ms;
  }

  /** Shuts the service down and starts another one on the same data. */
  async restart(): Promise<Service> {
    await this.app.close();
    return Service.start(this.env, this.backend);
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.backend.dispose();
  }
}

function createLogCollector(lines: string[]): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
}
