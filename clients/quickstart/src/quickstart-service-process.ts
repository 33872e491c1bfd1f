import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOPBACK_HOST } from './choose-port';

/** Folder of the bundles, which the build defines in them. */
declare const BUNDLES_FOLDER: string | undefined;

const MAIN_PATH =
  typeof BUNDLES_FOLDER === 'string'
    ? join(BUNDLES_FOLDER, 'service.js')
    : join(__dirname, '..', '..', '..', 'src', 'main.js');
const EXIT_WITH_PARENT_PATH = join(__dirname, 'exit-with-parent.js');
const READY_POLL_INTERVAL_MS = 50;
const READY_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 20_000;
const LOG_LINES = 12;
/** Other variables must not reach the demo, above all another project's DATABASE_URL. */
const INHERITED_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_OPTIONS'];

/** Thrown when the service exits unexpectedly or does not become ready. */
export class ServiceFailedError extends Error {
  constructor(
    message: string,
    readonly lastLines: string[],
  ) {
    super(message);
  }
}

/** Child process that runs the service on the embedded database in `folder`. */
export class QuickstartServiceProcess {
  /** Rejects when the service exits before {@link stopProcess} was called. */
  readonly failure: Promise<never>;
  private readonly exited: Promise<unknown>;
  private isStopping = false;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    readonly log: ServiceLog,
  ) {
    this.exited = once(child, 'exit').catch(() => undefined);
    this.failure = new Promise((_, reject) => {
      const rejectFailure = (message: string) => {
        if (!this.isStopping) reject(this.createFailureError(message));
      };
      child.once('error', (error) => rejectFailure(`The service could not be started: ${error.message}`));
      child.once('exit', (code, signal) =>
        rejectFailure(`The service exited with ${signal ?? `status ${code}`}. Its last log lines:`),
      );
    });
    this.failure.catch(() => undefined);
  }

  static startProcess(port: number, folder: string): QuickstartServiceProcess {
    const url = `http://${LOOPBACK_HOST}:${port}`;
    const log = new ServiceLog(join(folder, 'service.log'));
    const child = log.withDescriptor((output) =>
      fork(MAIN_PATH, [], {
        execArgv: ['--require', EXIT_WITH_PARENT_PATH],
        env: {
          ...pickInheritedVariables(),
          HOST: LOOPBACK_HOST,
          PORT: String(port),
          PUBLIC_URL: url,
          DATA_DIR: folder,
        },
        stdio: ['ignore', output, output, 'ipc'],
        // Not in the terminal's process group: Ctrl-C reaches only the quickstart, which stops its processes in order.
        detached: true,
      }),
    );
    return new QuickstartServiceProcess(child, url, log);
  }

  /** Resolves when the service reports that it is ready. */
  async waitUntilReady(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + READY_TIMEOUT_MS;
    while (!(await this.isReady())) {
      if (performance.now() > deadline)
        throw this.createFailureError(
          `The service was not ready within ${READY_TIMEOUT_MS / 1000} s. Its last log lines:`,
        );
      await sleep(READY_POLL_INTERVAL_MS, undefined, { signal });
    }
  }

  /** Sends SIGTERM, and SIGKILL after a timeout. @returns whether the service exited before the timeout */
  async stopProcess(): Promise<boolean> {
    this.isStopping = true;
    if (this.child.exitCode !== null || this.child.signalCode !== null || !this.child.pid) return true;
    this.child.kill('SIGTERM');
    const killAbort = new AbortController();
    const killTimeout = sleep(STOP_TIMEOUT_MS, false, { signal: killAbort.signal }).catch(() => true);
    const exitedCleanly = await Promise.race([this.exited.then(() => true), killTimeout]);
    killAbort.abort();
    if (!exitedCleanly) this.child.kill('SIGKILL');
    await this.exited;
    return exitedCleanly;
  }

  private async isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/health/ready`, { signal: AbortSignal.timeout(5_000) })).ok;
    } catch {
      return false;
    }
  }

  private createFailureError(message: string): ServiceFailedError {
    return new ServiceFailedError(message, this.log.readLastLines(LOG_LINES));
  }
}

function pickInheritedVariables(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED_VARIABLES.includes(name)));
}

/** File with the service's output, truncated at each start. */
class ServiceLog {
  constructor(readonly path: string) {}

  /** Passes a writable descriptor to `callback` and closes it afterwards. A child process keeps its own duplicate. */
  withDescriptor<T>(callback: (descriptor: number) => T): T {
    const descriptor = openSync(this.path, 'w', 0o600);
    try {
      return callback(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Returns the last lines, with JSON log entries formatted for people. */
  readLastLines(lines: number): string[] {
    return readFileSync(this.path, 'utf8').trimEnd().split('\n').slice(-lines).map(formatLogLine).filter(Boolean);
  }
}

interface LogEntry {
  level?: string | number;
  msg?: string;
  err?: { message?: string };
}

function formatLogLine(line: string): string {
  try {
    const { level, msg, err } = JSON.parse(line) as LogEntry;
    const reason = err?.message === msg ? undefined : err?.message;
    return [level, msg, reason].filter((part) => part !== undefined).join('  ');
  } catch {
    return line;
  }
}
