import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export const ROOT = join(__dirname, '..', '..');
const TYPESCRIPT = join(ROOT, 'scripts', 'typescript.cjs');
const PROBE = join(ROOT, 'bench', 'support', 'probe.cjs');
const PATIENCE_MS = 60_000;

/** A process of the bench's own, measured or measuring. It ends with the bench. */
export class Child {
  private constructor(
    private readonly process: ChildProcess,
    private readonly script: string,
  ) {}

  /** @param script below the project's folder; TypeScript runs as it stands */
  static start(script: string, env: NodeJS.ProcessEnv = {}): Child {
    const hook = script.endsWith('.ts') ? ['--require', TYPESCRIPT] : [];
    const child = fork(join(ROOT, script), [], {
      execArgv: ['--expose-gc', '--no-warnings', ...hook, '--require', PROBE],
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    return new Child(child, script);
  }

  /** Sends a message and waits for the answer's member of this name. */
  async ask<T>(message: unknown, member: string, patienceMs = PATIENCE_MS): Promise<T> {
    this.process.send(message as object);
    return this.next<T>(member, patienceMs);
  }

  /** Every message, until what it returns is called. */
  listen(onMessage: (message: unknown) => void): () => void {
    this.process.on('message', onMessage);
    return () => this.process.off('message', onMessage);
  }

  /** The next message that has this member, and of it that. */
  next<T>(member: string, patienceMs = PATIENCE_MS): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        this.process.off('message', onMessage).off('exit', onExit);
        act();
      };
      const fail = (reason: string) => settle(() => reject(new Error(`${this.script}: ${reason}`)));
      const onMessage = (message: Record<string, unknown>) => {
        if ('error' in message) fail(String(message.error));
        else if (member in message) settle(() => resolve(message[member] as T));
      };
      const onExit = (code: number | null) => fail(`ended with status ${code}`);
      const timer = setTimeout(() => fail(`did not say "${member}" in time`), patienceMs);
      this.process.on('message', onMessage).on('exit', onExit);
    });
  }

  /** CPU time of user and system so far, in microseconds. */
  cpu(): Promise<number> {
    return this.ask('cpu', 'cpu');
  }

  /** Heap and external memory in bytes, after a garbage collection. */
  memory(): Promise<number> {
    return this.ask('memory', 'memory');
  }

  /** From now on, full collections are noticed: `held` says what the last one left. It costs the others nothing. */
  async watchHeld(): Promise<void> {
    await this.ask('watch-held', 'watching');
  }

  held(): Promise<{ collections: number; bytes: number }> {
    return this.ask('held', 'held');
  }

  get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.process, 'exit');
    // Nothing of it is kept, and a clean stop of the service takes its time.
    this.process.kill('SIGKILL');
    await ended;
  }
}
