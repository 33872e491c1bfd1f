import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from './find-free-port';
import { HttpClient } from './http-client';
import { findProgram, findSingleFile } from './program-files';
import { extendWait } from './wait-for';

const START_TIMEOUT_MS = 60_000;

/** Exit status and output of a process. */
export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface ServiceProcessOptions {
  /** Port to listen on; a free one by default. */
  port?: number;
  /** Folder of a build, whose single files run. By default, the bundle of the present build runs. */
  build?: string;
  cwd?: string;
  /** User of the process, if the tests run as root. */
  uid?: number;
  /** Shell text that runs `node` with the service's file, which it gets as `"$@"`. */
  shell?: string;
  /** Receives each line of the standard output. */
  onLine?: (line: string) => void;
}

/** Process of the service with exactly the given environment. */
export class ServiceProcess {
  readonly exited: Promise<ProcessExit>;

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    private readonly build: string | undefined,
  ) {
    let stdout = '';
    let stderr = '';
    child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    this.exited = new Promise((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
    );
  }

  /** Starts the process without waiting. */
  static async launchProcess(env: NodeJS.ProcessEnv, options: ServiceProcessOptions = {}): Promise<ServiceProcess> {
    const { shell, cwd, uid, onLine } = options;
    const port = options.port ?? (await findFreePort());
    const main = options.build ? findSingleFile('service', options.build) : findProgram('service');
    const node = [process.execPath, main];
    const [command, ...args] = shell ? ['/bin/sh', '-c', shell, 'sh', ...node] : node;
    const child = spawn(command!, args, {
      env: { PORT: String(port), ...env },
      cwd,
      uid,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (onLine) createInterface({ input: child.stdout }).on('line', onLine);
    return new ServiceProcess(child, port, options.build);
  }

  /** Starts the process and waits until it is ready. */
  static async start(env: NodeJS.ProcessEnv, options?: ServiceProcessOptions): Promise<ServiceProcess> {
    const service = await ServiceProcess.launchProcess(env, options);
    await service.waitUntilReady();
    return service;
  }

  /** Starts a process that is expected to exit, and waits for its exit. */
  static async runUntilExit(env: NodeJS.ProcessEnv, options?: ServiceProcessOptions): Promise<ProcessExit> {
    return (await ServiceProcess.launchProcess(env, options)).exited;
  }

  get http(): HttpClient {
    return new HttpClient(`http://127.0.0.1:${this.port}`, { getBuilds: () => [this.build] });
  }

  get pid(): number {
    return this.child.pid!;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async waitUntilReady(): Promise<void> {
    const deadline = Date.now() + extendWait(START_TIMEOUT_MS);
    while (Date.now() < deadline) {
      if (!this.isRunning) throw new Error(`the service did not start: ${JSON.stringify(await this.exited)}`);
      const answer = await this.http.get('/health/ready').catch(() => null);
      if (answer?.status === 200) return;
      await sleep(50);
    }
    await this.stop('SIGKILL');
    throw new Error(`the service was not ready in time: ${JSON.stringify(await this.exited)}`);
  }

  sendSignal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends the signal and returns the exit status. For an exited process, only returns its status. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<ProcessExit> {
    this.sendSignal(signal);
    return this.exited;
  }
}
