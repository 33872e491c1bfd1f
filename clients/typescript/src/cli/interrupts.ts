import { EXIT } from './errors.ts';

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

  install(): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.#receive(signal));
    // A reader that has enough, such as head, closes the pipe.
    process.stdout.on('error', () => {
      if (!this.#reactsToClosedOutput) process.exit(EXIT.done);
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

/** Reason of an aborted call: the user has pressed Ctrl-C. */
export class Interruption extends Error {
  override name = 'Interruption';
}

export const interrupts = new Interrupts();
