import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOPBACK } from './port';
import { ServiceLog } from './service-log';

const MAIN = join(__dirname, '..', 'main.js');
const LEAVE_WITH_PARENT = join(__dirname, 'leave-with-parent.js');
const POLL_MS = 50;
const READY_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 20_000;
const LOG_LINES = 12;
/** Anything else, a DATABASE_URL of another project above all, is no business of a demonstration. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_OPTIONS'];

/** The service ended by itself, or never became ready. */
export class ServiceFailedError extends Error {
  constructor(
    message: string,
    readonly lastLines: string[],
  ) {
    super(message);
  }
}

/** The service as a process of its own, on the embedded database in `folder`. */
export class ServiceProcess {
  /** Rejects when the service ends without having been told to. */
  readonly failed: Promise<never>;
  private readonly ended: Promise<unknown>;
  private stopping = false;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    readonly log: ServiceLog,
  ) {
    this.ended = once(child, 'exit').catch(() => undefined);
    this.failed = new Promise((_, reject) => {
      const fail = (message: string) => {
        if (!this.stopping) reject(this.failure(message));
      };
      child.once('error', (error) => fail(`The service cannot be started: ${error.message}`));
      child.once('exit', (code, signal) =>
        fail(`The service ended with ${signal ?? `status ${code}`}. Its last lines:`),
      );
    });
    this.failed.catch(() => undefined);
  }

  static start(port: number, folder: string): ServiceProcess {
    const url = `http://${LOOPBACK}:${port}`;
    const log = new ServiceLog(join(folder, 'service.log'));
    const child = log.open((output) =>
      fork(MAIN, [], {
        execArgv: ['--require', LEAVE_WITH_PARENT],
        env: { ...passedOn(), HOST: LOOPBACK, PORT: String(port), PUBLIC_URL: url, DATA_DIR: folder },
        stdio: ['ignore', output, output, 'ipc'],
        // Out of the terminal's process group: Ctrl-C reaches the quickstart alone, which stops things in order.
        detached: true,
      }),
    );
    return new ServiceProcess(child, url, log);
  }

  /** Resolves when the service says that it can serve. */
  async ready(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + READY_WITHIN_MS;
    while (!(await this.isReady())) {
      if (performance.now() > deadline)
        throw this.failure(`The service was not ready within ${READY_WITHIN_MS / 1000} s. Its last lines:`);
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  /** Asks it to stop, and makes it stop when it does not. @returns whether it went by itself */
  async stop(): Promise<boolean> {
    this.stopping = true;
    if (this.child.exitCode !== null || this.child.signalCode !== null || !this.child.pid) return true;
    this.child.kill('SIGTERM');
    const late = new AbortController();
    const kill = sleep(STOP_WITHIN_MS, false, { signal: late.signal }).catch(() => true);
    const clean = await Promise.race([this.ended.then(() => true), kill]);
    late.abort();
    if (!clean) this.child.kill('SIGKILL');
    await this.ended;
    return clean;
  }

  private async isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/health/ready`, { signal: AbortSignal.timeout(5_000) })).ok;
    } catch {
      return false;
    }
  }

  private failure(message: string): ServiceFailedError {
    return new ServiceFailedError(message, this.log.tail(LOG_LINES));
  }
}

function passedOn(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.includes(name)));
}
