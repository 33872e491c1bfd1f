import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { findFreePort } from './find-free-port';
import { createTempFolder } from './temp-folder';

/** Separate Redis of a test, which the test may stop, freeze and restart. */
export class RedisProcess {
  private constructor(
    readonly port: number,
    private readonly folder: string,
    private child: ChildProcess,
  ) {}

  /** @param options additional options of Redis by name */
  static async start(options: Record<string, string> = {}): Promise<RedisProcess> {
    const port = await findFreePort();
    const folder = createTempFolder();
    const process = new RedisProcess(port, folder, launchRedis(port, folder, options));
    await process.waitUntilReady();
    return process;
  }

  get pid(): number {
    return this.child.pid!;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Requires this password from now on. `url` doesn't contain it. */
  async requirePassword(password: string): Promise<void> {
    const redis = new Redis(this.url);
    await redis.config('SET', 'requirepass', password);
    redis.disconnect();
  }

  async killProcess(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await exited;
    }
  }

  /** Kills Redis and deletes its files. */
  async removeProcess(): Promise<void> {
    await this.killProcess();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Freezes Redis: its connections stay open without answers. */
  suspendProcess(): void {
    this.child.kill('SIGSTOP');
  }

  resumeProcess(): void {
    this.child.kill('SIGCONT');
  }

  /** Saves the current data for `restartFromSnapshot`. */
  async saveSnapshot(): Promise<void> {
    const redis = new Redis(this.url);
    await redis.save();
    redis.disconnect();
  }

  /** Starts an empty Redis on the same port. */
  async restartEmpty(): Promise<void> {
    rmSync(this.snapshot, { force: true });
    this.child = launchRedis(this.port, this.folder);
    await this.waitUntilReady();
  }

  /** Starts Redis with the data of the snapshot on the same port. */
  async restartFromSnapshot(): Promise<void> {
    if (!existsSync(this.snapshot)) throw new Error('No snapshot was saved.');
    this.child = launchRedis(this.port, this.folder);
    await this.waitUntilReady();
  }

  private get snapshot(): string {
    return join(this.folder, 'dump.rdb');
  }

  private async waitUntilReady(): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt++) {
      const redis = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null });
      redis.on('error', () => undefined);
      const answer = await redis
        .connect()
        .then(() => redis.ping())
        .catch(() => null);
      redis.disconnect();
      if (answer === 'PONG') return;
      await sleep(25);
    }
    throw new Error(`Redis did not start on port ${this.port}.`);
  }
}

/** Starts Redis with the snapshot in the folder, if there is one, and otherwise empty. */
function launchRedis(port: number, folder: string, more: Record<string, string> = {}): ChildProcess {
  const options = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: folder, ...more };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return spawn('redis-server', args, { stdio: 'ignore' });
}
