import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient, UnreachableError } from '../client-errors';
import { waitUnlessAborted } from '../time-limit';
import type { Backoff } from './backoff';
import type { CapabilityNegotiation } from './capability-negotiation';

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

/**
 * Waits before the next attempt, until the signal aborts. A service that could not be reached can be when a connection
 * opens, which ends the wait. Never rejects.
 */
export async function waitBeforeAttempt(
  error: unknown,
  { backoff, capabilities, signal }: { backoff: Backoff; capabilities: CapabilityNegotiation; signal: AbortSignal },
): Promise<void> {
  const waitMs = backoff.getNextDelayMs(error);
  if (error instanceof UnreachableError) await capabilities.waitForNextHello(waitMs, signal);
  else await sleep(waitMs, undefined, { signal }).catch(() => undefined);
}
