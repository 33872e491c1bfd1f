import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findInstalledProgram } from '../../support/dependencies';
import { HttpClient } from '../../support/http-client';
import { waitFor } from '../../support/wait-for';
import { findStablePort } from './stable-port';

const HAPROXY_CONFIG_PATH = join(__dirname, '..', '..', '..', 'deploy', 'haproxy.cfg');
const MAX_INSTANCES = 4;

/** HAProxy with deploy/haproxy.cfg. */
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

  /** @param ports of the instances, two to four */
  static async start(port: number, ports: readonly number[]): Promise<LoadBalancer> {
    if (ports.length < 2 || ports.length > MAX_INSTANCES) {
      throw new Error(`deploy/haproxy.cfg supports 2 to ${MAX_INSTANCES} instances.`);
    }
    const instances = ports.map((each, i) => [`API_${i + 1}`, `127.0.0.1:${each}`]);
    const env = { ...Object.fromEntries(instances), BIND: `127.0.0.1:${port}` };
    const child = spawn(findInstalledProgram('haproxy')!, ['-db', '-f', HAPROXY_CONFIG_PATH], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await once(child, 'spawn');
    const balancer = new LoadBalancer(port, child);
    try {
      await balancer.waitUntilListening();
    } catch (error) {
      await balancer.stop();
      throw error;
    }
    return balancer;
  }

  static findPort(): Promise<number> {
    return findStablePort();
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get http(): HttpClient {
    return new HttpClient(this.url);
  }

  /** Log so far: failed requests, and instances that started and stopped. */
  get log(): string {
    return this.stdout;
  }

  /** Waits until the health checks report this state of the instance. */
  async waitForInstanceState(index: number, state: 'UP' | 'DOWN', withinMs = 10_000): Promise<void> {
    const changes = new RegExp(`^Server ready/api${index + 1} is (UP|DOWN)`, 'gm');
    await waitFor(() => {
      const found = [...this.stdout.matchAll(changes)].at(-1)?.[1] ?? 'UP';
      if (found !== state) throw new Error(`The load balancer reports instance ${index} as ${found}.`);
    }, withinMs);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  private async waitUntilListening(): Promise<void> {
    await waitFor(async () => {
      if (this.child.exitCode !== null) throw new Error(`haproxy did not start: ${this.stderr}`);
      await fetch(`${this.url}/health/live`);
    }, 5_000);
  }
}
