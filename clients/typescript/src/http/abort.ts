/** The longest time of a timer, nearly 25 days. A longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits, in milliseconds, for 24 days at most. Rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Returns the promise's result, or rejects with the signal's reason if that is aborted first. */
export function untilAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * A signal that follows others until it is released. `AbortSignal.any` would keep a reference for as long as the
 * longest-living of them exists, which for a client's own signal is the life of the process.
 */
export class LinkedSignal {
  readonly #controller = new AbortController();
  readonly #sources: AbortSignal[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = (event: Event) => this.#controller.abort((event.target as AbortSignal).reason);

  constructor(sources: readonly (AbortSignal | undefined)[]) {
    this.#sources = sources.filter((source) => source !== undefined);
    for (const source of this.#sources) {
      if (source.aborted) this.#controller.abort(source.reason);
      source.addEventListener('abort', this.#abort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts with this reason unless the deadline is set again, or cleared, in time. `Infinity` is no deadline. */
  setDeadline(ms: number, reason: Error): void {
    this.clearDeadline();
    if (ms === Infinity) return;
    const restMs = ms - MAX_TIMER_MS;
    const expire = () => (restMs > 0 ? this.setDeadline(restMs, reason) : this.#controller.abort(reason));
    this.#timer = setTimeout(expire, Math.min(ms, MAX_TIMER_MS));
  }

  clearDeadline(): void {
    clearTimeout(this.#timer);
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  release(): void {
    this.clearDeadline();
    for (const source of this.#sources) source.removeEventListener('abort', this.#abort);
  }
}
