/** Thrown when Redis does not respond in time. The command may have been executed. */
export class RedisTimeoutError extends Error {
  constructor(ms: number) {
    super(`Redis did not answer within ${ms} ms.`);
    this.name = 'RedisTimeoutError';
  }
}

/**
 * Returns the response to a command. After the timeout, first reads responses that arrived while the event loop was
 * blocked, so that a blocked process doesn't mistake its own delay for a timeout. Uses a plain timer for speed: an
 * aborted one creates an error with a stack for each command (docs/decisions/0024).
 * @throws RedisTimeoutError
 */
export function withTimeout<T>(command: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const rejectWithTimeout = () => reject(new RedisTimeoutError(timeoutMs));
    const timer = setTimeout(() => setImmediate(() => setImmediate(rejectWithTimeout)), timeoutMs).unref();
    const settleWith =
      <A>(settle: (outcome: A) => void) =>
      (outcome: A) => {
        clearTimeout(timer);
        settle(outcome);
      };
    command.then(settleWith(resolve), settleWith(reject));
  });
}
