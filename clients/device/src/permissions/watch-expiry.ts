/** Timers stand still while the computer sleeps, so the time is compared at least this often. */
const MAX_CHECK_INTERVAL_MS = 1_000;

/**
 * Calls `onExpired` when the time is over.
 * @param getRemainingMs compares times of day
 * @returns a function that ends the watch
 */
export function watchExpiry(getRemainingMs: () => number, onExpired: () => void): () => void {
  let timer: NodeJS.Timeout;
  const scheduleCheck = (): void => {
    const delayMs = Math.max(0, Math.min(getRemainingMs(), MAX_CHECK_INTERVAL_MS));
    timer = setTimeout(() => (getRemainingMs() <= 0 ? onExpired() : scheduleCheck()), delayMs);
  };
  scheduleCheck();
  return () => clearTimeout(timer);
}
