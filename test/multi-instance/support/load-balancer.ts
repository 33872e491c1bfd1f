import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { HttpClient } from '../../support/http-client';
import { eventually } from '../../support/eventually';
import { stablePort } from './stable-port';

export const HAPROXY_CFG = join(__dirname, '..', '..', '..', 'deploy', 'haproxy.cfg');
const MAX_INSTANCES = 4;

/** HAProxy with the repository's own configuration. */
export class LoadBalancer {
  private stdout = '';
  private stderr = '';

  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
  ) {
    child.stdout!.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
  }

  /** @param ports where the instances listen; two to four of them */
  static async start(port: number, ports: readonly number[]): Promise<LoadBalancer> {
    if (ports.length < 2 || ports.length > MAX_INSTANCES) {
      throw new Error(`deploy/haproxy.cfg has places for 2 to ${MAX_INSTANCES} instances.`);
    }
    const instances = ports.map((each, i) => [`API_${i + 1}`, `127.0.0.1:${each}`]);
    const env = { ...Object.fromEntries(instances), BIND: `127.0.0.1:${port}`, PATH: searchPath() };
    const child = spawn('haproxy', ['-db', '-f', HAPROXY_CFG], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    await once(child, 'spawn');
    const balancer = new LoadBalancer(port, child);
    try {
      await balancer.listening();
    } catch (error) {
      await balancer.stop();
      throw error;
    }
    return balancer;
  }

  static newPort(): Promise<number> {
    return stablePort();
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get http(): HttpClient {
    return new HttpClient(this.url);
  }

  /** Its log so far: failed requests, and instances that came and went. */
  get log(): string {
    return this.stdout;
  }

  /** Until its checks find the instance of this index so. */
  async finds(index: number, state: 'UP' | 'DOWN', withinMs = 10_000): Promise<void> {
    const changes = new RegExp(`^Server ready/api${index + 1} is (UP|DOWN)`, 'gm');
    await eventually(() => {
      const found = [...this.stdout.matchAll(changes)].at(-1)?.[1] ?? 'UP';
      if (found !== state) throw new Error(`The load balancer finds instance ${index} ${found}.`);
    }, withinMs);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private async listening(): Promise<void> {
    await eventually(async () => {
      if (this.child.exitCode !== null) throw new Error(`haproxy does not start: ${this.stderr}`);
      await fetch(`${this.url}/health/live`);
    }, 5_000);
  }
}

/** Debian keeps it in a folder that is on root's path alone. */
function searchPath(): string {
  return `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin`;
}
