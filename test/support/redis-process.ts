import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './free-port';

/** A Redis of a test's own, which it may end, freeze and start again without harming anybody. */
export class RedisProcess {
  private snapshots: string | null = null;

  private constructor(
    readonly port: number,
    private child: ChildProcess,
  ) {}

  static isInstalled(): boolean {
    return spawnSync('redis-server', ['--version']).status === 0;
  }

  static async start(): Promise<RedisProcess> {
    const port = await freePort();
    const process = new RedisProcess(port, launch(port));
    await process.ready();
    return process;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** From now on it wants this password; `url` does not say it. */
  async protect(password: string): Promise<void> {
    const redis = new Redis(this.url);
    await redis.config('SET', 'requirepass', password);
    redis.disconnect();
  }

  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
  }

  /** Kills it, and leaves no file behind. */
  async remove(): Promise<void> {
    await this.kill();
    if (this.snapshots) rmSync(this.snapshots, { recursive: true });
    this.snapshots = null;
  }

  /** It keeps its connections and answers nothing. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** Writes its data down as they are now, for `startAgainWithSnapshot`. */
  async snapshot(): Promise<void> {
    this.snapshots ??= mkdtempSync(join(tmpdir(), 'external-api-redis-'));
    const redis = new Redis(this.url);
    await redis.config('SET', 'dir', this.snapshots);
    await redis.save();
    redis.disconnect();
  }

  /** Empty, on the same port. */
  async startAgain(): Promise<void> {
    this.child = launch(this.port);
    await this.ready();
  }

  /** With the data that it had at its snapshot, on the same port. */
  async startAgainWithSnapshot(): Promise<void> {
    if (!this.snapshots) throw new Error('There is no snapshot.');
    this.child = launch(this.port, this.snapshots);
    await this.ready();
  }

  private async ready(): Promise<void> {
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
    throw new Error(`The Redis on port ${this.port} does not start.`);
  }
}

/** @param dir where a snapshot lies; without one it begins empty */
function launch(port: number, dir = tmpdir()): ChildProcess {
  const options = {
    port,
    bind: '127.0.0.1',
    save: '',
    appendonly: 'no',
    dir,
    dbfilename: `external-api-${port}.rdb`,
    // So that a snapshot can be sent elsewhere than where it is read from.
    'enable-protected-configs': 'local',
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return spawn('redis-server', args, { stdio: 'ignore' });
}
