import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './free-port';

/** A Redis of a test's own, which it may end, freeze and start again without harming anybody. */
export class RedisProcess {
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

  async kill(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  /** It keeps its connections and answers nothing. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** Empty, on the same port. */
  async startAgain(): Promise<void> {
    this.child = launch(this.port);
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

function launch(port: number): ChildProcess {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  return spawn('redis-server', options, { stdio: 'ignore' });
}
