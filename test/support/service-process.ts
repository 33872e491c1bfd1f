import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port';
import { HttpClient } from './http-client';

const START_MS = 60_000;

/** The compiled service; `TEST_BUILD` names another folder than `dist`. */
export const BUILD = join(__dirname, '..', '..', process.env.TEST_BUILD ?? 'dist');

/** How a process ended and what it said. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface ProcessOptions {
  /** Where it listens; a free port unless given. */
  port?: number;
  /** Another folder than `BUILD`. */
  build?: string;
  cwd?: string;
  /** Another user's process, where the tests run as root. */
  uid?: number;
  /** Runs `node main.js` through this shell text, which gets it as `"$@"`. */
  shell?: string;
  /** Called with each line of its standard output. */
  onLine?: (line: string) => void;
}

/** `node main.js` as an operator runs it, with exactly the environment given. */
export class ServiceProcess {
  readonly ended: Promise<Ending>;

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    let stdout = '';
    let stderr = '';
    child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    this.ended = new Promise((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
    );
  }

  /** Starts it without waiting for anything. */
  static async launch(env: NodeJS.ProcessEnv, options: ProcessOptions = {}): Promise<ServiceProcess> {
    const { shell, cwd, uid, onLine } = options;
    const port = options.port ?? (await freePort());
    const node = [process.execPath, join(options.build ?? BUILD, 'src', 'main.js')];
    const [command, ...args] = shell ? ['/bin/sh', '-c', shell, 'sh', ...node] : node;
    const child = spawn(command!, args, {
      env: { PORT: String(port), ...env },
      cwd,
      uid,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (onLine) createInterface({ input: child.stdout }).on('line', onLine);
    return new ServiceProcess(child, port);
  }

  /** Starts it and waits until it is ready. */
  static async start(env: NodeJS.ProcessEnv, options?: ProcessOptions): Promise<ServiceProcess> {
    const service = await ServiceProcess.launch(env, options);
    await service.ready();
    return service;
  }

  /** Starts one that is expected to end by itself. */
  static async run(env: NodeJS.ProcessEnv, options?: ProcessOptions): Promise<Ending> {
    return (await ServiceProcess.launch(env, options)).ended;
  }

  get http(): HttpClient {
    return new HttpClient(`http://127.0.0.1:${this.port}`);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async ready(): Promise<void> {
    const giveUpAt = Date.now() + START_MS;
    while (Date.now() < giveUpAt) {
      if (!this.isRunning) throw new Error(`it did not start: ${JSON.stringify(await this.ended)}`);
      const answer = await this.http.get('/health/ready').catch(() => null);
      if (answer?.status === 200) return;
      await sleep(50);
    }
    await this.stop('SIGKILL');
    throw new Error(`it was not ready in time: ${JSON.stringify(await this.ended)}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends the signal and waits for the end; for one that has ended it is how it did. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ending> {
    this.signal(signal);
    return this.ended;
  }
}
