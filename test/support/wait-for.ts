import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves when `check` succeeds. Rejects with its last error after `withinMs`. The default allows for a busy machine.
 */
export async function waitFor<T>(check: () => T | Promise<T>, withinMs = 10_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(10);
    }
  }
}
