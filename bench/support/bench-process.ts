import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join, resolve } from 'node:path';

export const PROJECT_FOLDER = join(__dirname, '..', '..');
const TYPESCRIPT_HOOK = join(PROJECT_FOLDER, 'tools', 'typescript.cjs');
const PROBE = join(PROJECT_FOLDER, 'bench', 'support', 'probe.cjs');
/** Set by `npm start` and by the image. */
const [, MALLOC_TRIM_THRESHOLD_] = /MALLOC_TRIM_THRESHOLD_=(\d+)/.exec(
  readFileSync(join(PROJECT_FOLDER, 'package.json'), 'utf8'),
)!;
const REPLY_TIMEOUT_MS = 60_000;

export interface EventLoopDelay {
  p99Ms: number;
  maxMs: number;
}

/** Child process of the bench, which exits with it. */
export class BenchProcess {
  private constructor(
    private readonly process: ChildProcess,
    private readonly script: string,
  ) {}

  /** @param script path in the project, or an absolute one; TypeScript needs no build */
  static start(script: string, env: NodeJS.ProcessEnv = {}): BenchProcess {
    const hook = script.endsWith('.ts') ? ['--require', TYPESCRIPT_HOOK] : [];
    const child = fork(resolve(PROJECT_FOLDER, script), [], {
      execArgv: ['--expose-gc', '--no-warnings', ...hook, '--require', PROBE],
      env: { PATH: process.env.PATH, NODE_ENV: 'production', MALLOC_TRIM_THRESHOLD_, ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    return new BenchProcess(child, script);
  }

  /** Sends a message and waits for an answer with the member. Returns the value of the member. */
  async sendRequest<T>(message: unknown, member: string, timeoutMs = REPLY_TIMEOUT_MS): Promise<T> {
    this.process.send(message as object);
    return this.waitForMember<T>(member, timeoutMs);
  }

  /** Passes every message to the callback. The returned function stops that. */
  listenForMessages(onMessage: (message: unknown) => void): () => void {
    this.process.on('message', onMessage);
    return () => this.process.off('message', onMessage);
  }

  /** Waits for the next message with the member and returns its value. */
  waitForMember<T>(member: string, timeoutMs = REPLY_TIMEOUT_MS): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (complete: () => void) => {
        clearTimeout(timer);
        this.process.off('message', onMessage).off('exit', onExit);
        complete();
      };
      const fail = (reason: string) => settle(() => reject(new Error(`${this.script}: ${reason}`)));
      const onMessage = (message: Record<string, unknown>) => {
        if ('error' in message) fail(String(message.error));
        else if (member in message) settle(() => resolve(message[member] as T));
      };
      const onExit = (code: number | null) => fail(`exited with status ${code}`);
      const timer = setTimeout(() => fail(`timed out waiting for "${member}"`), timeoutMs);
      this.process.on('message', onMessage).on('exit', onExit);
    });
  }

  /** Returns the total CPU time of user and system, in µs. */
  readCpuUs(): Promise<number> {
    return this.sendRequest('cpu', 'cpu');
  }

  /** Returns heap and external memory in bytes, after a forced garbage collection. */
  readMemoryBytes(): Promise<number> {
    return this.sendRequest('memory', 'memory');
  }

  /** Starts to record full garbage collections for `readRetainedMemory`. */
  async watchRetainedMemory(): Promise<void> {
    await this.sendRequest('watch-held', 'watching');
  }

  readRetainedMemory(): Promise<{ collections: number; bytes: number }> {
    return this.sendRequest('held', 'held');
  }

  /** Starts to record the delay of the event loop for `readEventLoopDelay`. */
  async watchEventLoopDelay(): Promise<void> {
    await this.sendRequest('watch-delay', 'watchingDelay');
  }

  /** Ends the recording. Each sample is the time between two callbacks of a timer of 1 ms, so it is at least 1 ms. */
  readEventLoopDelay(): Promise<EventLoopDelay> {
    return this.sendRequest('delay', 'delay');
  }

  /** Lets the process, and those that it starts, use only what others leave, as if they ran on another machine. */
  lowerPriority(): void {
    setPriority(this.pid, constants.priority.PRIORITY_LOW);
  }

  get pid(): number {
    return this.process.pid!;
  }

  get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.process, 'exit');
    // A graceful shutdown takes long, and its result is not needed.
    this.process.kill('SIGKILL');
    await exited;
  }
}
