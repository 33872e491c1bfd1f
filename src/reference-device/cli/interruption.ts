const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts at the first signal; at the second the process ends at once. Call `done` when nothing waits any more. */
export function interruption(): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  SIGNALS.forEach((name) => process.on(name, onSignal));
  return {
    signal: controller.signal,
    done: () => SIGNALS.forEach((name) => process.off(name, onSignal)),
  };
}
