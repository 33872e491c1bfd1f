/**
 * Runs work with a signal that `source`, a time limit or the failure of the work aborts. Nothing aborts it afterwards.
 * `AbortSignal.timeout` would abort it later, when the result of the work is in use. Combined by `AbortSignal.any`, it
 * may also be garbage-collected and never abort it.
 *
 * @param limitMs time after which the signal aborts
 * @throws the reason of the signal if the work fails after it has aborted: that of `source`, or a `TimeoutError`
 */
export async function runWithTimeLimit<T>(
  limitMs: number,
  source: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const followSource = () => controller.abort(source?.reason);
  if (source?.aborted) followSource();
  source?.addEventListener('abort', followSource, { once: true });
  const timer = setTimeout(() => controller.abort(new DOMException('It took too long.', 'TimeoutError')), limitMs);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    // Parts of the work that are still running have no other signal.
    controller.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    source?.removeEventListener('abort', followSource);
  }
}

/**
 * Waits for work that nothing stops, but no longer than until the signal aborts.
 * @throws the error of `fail`, which is called then
 */
export async function waitUnlessAborted<T>(work: Promise<T>, signal: AbortSignal, fail: () => never): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<void>((resolve) => (onAbort = resolve));
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, aborted.then(fail)]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
