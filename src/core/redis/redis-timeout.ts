/** Thrown when Redis does not respond in time. The command may have been executed. */
export class RedisTimeoutError extends Error {
  constructor(ms: number) {
    super(`Redis did not answer within ${ms} ms.`);
    this.name = 'RedisTimeoutError';
  }
}

/** Parts of a timeout. */
const SLICES = 5;

/**
 * Returns the response to a command. A busy process doesn't mistake its own delay for a timeout: however long an
 * iteration of its event loop takes, only one slice of the time ends in it, and before the last one ends, responses are
 * read that arrived meanwhile. The client writes a command only at the end of an iteration, and when earlier ones are
 * answered. Uses plain timers for speed: an aborted one creates an error with a stack for each command
 * (docs/decisions/0024).
 * @throws RedisTimeoutError
 */
export function withTimeout<T>(command: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const rejectWithTimeout = () => reject(new RedisTimeoutError(timeoutMs));
    let slicesLeft = SLICES;
    const startSlice = () => setTimeout(endSlice, timeoutMs / SLICES).unref();
    const endSlice = () => {
      slicesLeft -= 1;
      if (slicesLeft > 0) timer = startSlice();
      else setImmediate(() => setImmediate(rejectWithTimeout));
    };
    let timer = startSlice();
    const settleWith =
      <A>(settle: (outcome: A) => void) =>
      (outcome: A) => {
        clearTimeout(timer);
        settle(outcome);
      };
    command.then(settleWith(resolve), settleWith(reject));
  });
}
