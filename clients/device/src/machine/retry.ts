import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from '../client-errors';
import { waitUnlessAborted } from '../time-limit';
import type { Backoff } from './backoff';

export interface RetryOptions {
  backoff: Backoff;
  signal?: AbortSignal;
  /** Called before each wait. */
  waiting?: (error: Error, waitMs: number) => void;
}

/** Retries an operation after transient errors, for example when the service starts later than its devices. */
export async function retryTransientErrors<T>(
  operation: () => Promise<T>,
  { backoff, signal, waiting }: RetryOptions,
): Promise<T> {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      if (!isTransient(error)) throw error;
      const waitMs = backoff.getNextDelayMs(error);
      waiting?.(error as Error, waitMs);
      await sleep(waitMs, undefined, { signal });
    }
  }
}

/**
 * Does the same, and doesn't wait for the service once the signal aborts: it may never answer. The operation that runs
 * then goes on, so its result must not be needed.
 * @throws AbortError
 */
export async function retryUntilAborted<T>(operation: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal } = options;
  if (!signal) return retryTransientErrors(operation, options);
  const waiting: RetryOptions['waiting'] = (...wait) => {
    if (!signal.aborted) options.waiting?.(...wait);
  };
  return waitUnlessAborted(retryTransientErrors(operation, { ...options, waiting }), signal, () => {
    throw new DOMException('The device was stopped.', 'AbortError');
  });
}
