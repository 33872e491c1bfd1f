import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from '../client-errors';
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
