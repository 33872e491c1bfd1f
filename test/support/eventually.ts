import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when `check` holds; rejects with its last failure when it still does not after `withinMs`. */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = 3_000): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await sleep(10);
    }
  }
}
