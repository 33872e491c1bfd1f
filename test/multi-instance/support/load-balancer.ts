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
  private log = '';

  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
    }
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

  /** What it has said so far. */
  get output(): string {
    return this.log;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private async listening(): Promise<void> {
    await eventually(async () => {
      if (this.child.exitCode !== null) throw new Error(`haproxy does not start: ${this.log}`);
      await fetch(`${this.url}/health/live`);
    }, 5_000);
  }
}

/** Debian keeps it in a folder that is on root's path alone. */
function searchPath(): string {
  return `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin`;
}
