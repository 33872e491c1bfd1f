import { useEffect } from 'preact/hooks';

const POLL_INTERVAL_MS = 10_000;

/**
 * Reads records again that may change without an event: 10 s after they were read, or as soon as the page is visible
 * then.
 * @param records new ones after each read
 */
export function usePoll(records: unknown, mayChangeSilently: boolean, readAgain: () => void): void {
  useEffect(() => {
    if (!mayChangeSilently) return;
    let isDue = false;
    const readIfVisible = () => {
      if (isDue && !document.hidden) readAgain();
    };
    const timer = setTimeout(() => {
      isDue = true;
      readIfVisible();
    }, POLL_INTERVAL_MS);
    document.addEventListener('visibilitychange', readIfVisible);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', readIfVisible);
    };
  }, [records]);
}
