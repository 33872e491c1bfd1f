import { CliError, EXIT } from './errors.ts';

/** Errors of an output whose reader has enough, such as head. */
const CLOSED_OUTPUT = /^(EPIPE|ECONNRESET|ERR_STREAM_DESTROYED)$/;
const SIGNAL_EXIT = { SIGINT: EXIT.interrupted, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 141 } as const;

type HandledSignal = keyof typeof SIGNAL_EXIT;

/**
 * Reaction to Ctrl-C and other signals that end a program. By default they end it at once. A command can react to the
 * first one instead, and its user still ends it at once with a second.
 */
class Interrupts {
  #react: ((signal: HandledSignal) => void) | undefined;
  #held = 0;
  #reactsToClosedOutput = false;
  #last: HandledSignal | undefined;

  /** @param fail reports a failure, and returns the exit code */
  install(fail: (error: unknown) => number): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.#receive(signal));
    process.stdout.on('error', (error: Error) => {
      const lost = findLostOutput(error);
      if (!this.#reactsToClosedOutput) process.exit(lost ? fail(lost) : EXIT.done);
      if (this.#last === undefined) this.#receive('SIGPIPE');
    });
  }

  /** Exit code of the signal that was received, or that of Ctrl-C. */
  get exitCode(): number {
    return SIGNAL_EXIT[this.#last ?? 'SIGINT'];
  }

  /** Returns a signal that the first Ctrl-C aborts. The command ends by itself afterwards. */
  createSignal(): AbortSignal {
    const controller = new AbortController();
    this.#react = () => controller.abort(new Interruption());
    return controller.signal;
  }

  /** Reacts to a closed standard output as to a signal: without a reader, programs end by one. */
  handleClosedOutput(): void {
    this.#reactsToClosedOutput = true;
  }

  /** Runs work that a signal must not cut off, such as storing a token that works once. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#held++;
    try {
      return await work();
    } finally {
      this.#held--;
      if (this.#held === 0 && this.#last && !this.#react) process.exit(this.exitCode);
    }
  }

  #receive(signal: HandledSignal): void {
    const isFirst = this.#last === undefined;
    this.#last = signal;
    if (isFirst && this.#react) this.#react(signal);
    else if (this.#held === 0) process.exit(this.exitCode);
  }
}

/** Returns the failure of an output that could not be written, such as to a full disk. */
export function findLostOutput(error: Error | null | undefined): CliError | undefined {
  if (!error) return undefined;
  const code = (error as NodeJS.ErrnoException).code ?? error.message;
  if (CLOSED_OUTPUT.test(code)) return undefined;
  return new CliError(`Standard output can't be written (${code}).`, { code: 'output' });
}

/** Reason of an aborted call: the user has pressed Ctrl-C. */
export class Interruption extends Error {
  override name = 'Interruption';
}

export const interrupts = new Interrupts();
