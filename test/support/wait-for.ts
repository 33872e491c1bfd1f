import { setTimeout as sleep } from 'node:timers/promises';

/** Limits from here on allow for a busy machine. Shorter ones are what the test promises. */
const MIN_ALLOWANCE_MS = 10_000;
/** Pauses between checks. They grow with the time that has passed, since each check of a long wait costs as much. */
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 50;
const PAUSE_SHARE = 1 / 20;

/**
 * Returns the limit of a wait that isn't the subject of a test, such as a start: longer on a slow machine, by the
 * factor that the test runner has measured (tools/test/wait-factor.mjs).
 */
export function extendWait(ms: number): number {
  return ms * Number(process.env.TEST_WAIT_FACTOR ?? 1);
}

/**
 * Resolves when `check` succeeds. Rejects with its last error after `withinMs`. Limits of ten seconds or more are
 * longer on a slow machine (`extendWait`).
 */
export async function waitFor<T>(check: () => T | Promise<T>, withinMs = MIN_ALLOWANCE_MS): Promise<T> {
  const startedAt = performance.now();
  const limitMs = withinMs < MIN_ALLOWANCE_MS ? withinMs : extendWait(withinMs);
  for (;;) {
    try {
      return await check();
    } catch (error) {
      const waitedMs = performance.now() - startedAt;
      if (waitedMs > limitMs) throw error;
      const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, waitedMs * PAUSE_SHARE));
      // The last check is at the limit.
      await sleep(Math.min(pauseMs, Math.max(1, limitMs - waitedMs)));
    }
  }
}
