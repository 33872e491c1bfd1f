import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, isTransient } from '../api-error';
import type { Backoff } from './backoff';

/** Repeats what failed for a reason that may pass: a service that starts later than its devices is no fault. */
export async function retryTransient<T>(
  work: () => Promise<T>,
  {
    backoff,
    signal,
    waiting,
  }: { backoff: Backoff; signal?: AbortSignal; waiting?: (error: Error, ms: number) => void },
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error)) throw error;
      const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
      const ms = Math.max(backoff.nextMs(), asked);
      waiting?.(error as Error, ms);
      await sleep(ms, undefined, { signal });
    }
  }
}
