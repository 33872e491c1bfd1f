import type { ChildProcess } from 'node:child_process';

/** How a command ended: by itself, or for a reason to end it. */
export type CommandOutcome = 'exited' | 'timedOut' | 'cancelled';

/** Waits until the command has exited, its time is up or the signal aborts. In the latter two cases it still runs. */
export function waitForOutcome(
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const resolveOutcome = (outcome: CommandOutcome): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(outcome);
    };
    const onAbort = (): void => resolveOutcome('cancelled');
    const timer = setTimeout(() => resolveOutcome('timedOut'), timeoutMs);
    if (child.exitCode !== null || child.signalCode !== null) return resolveOutcome('exited');
    child.once('exit', () => resolveOutcome('exited'));
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
  });
}

export async function waitAtMost(promise: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([promise, new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)))]);
  clearTimeout(timer);
}

/** Closes this end of the pipes. Processes that left the group may keep the other end open. */
export function detachChild(child: ChildProcess): void {
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}
