import { isatty } from 'node:tty';
import { KeyFileLock } from '../key-file-lock';
import type { CommandContext } from './command-context';

const INTERRUPTION_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface ExclusiveRun {
  /** Aborts on the first signal to this process. The second one exits immediately. */
  signal: AbortSignal;
  /** Rejects when another process has taken over the key file. */
  lost: Promise<never>;
}

/**
 * Runs `work` while this process alone uses the key file.
 * @returns whether a signal has interrupted it
 * @throws KeyFileInUseError
 * @throws Error when the terminal was closed
 */
export async function runExclusively(
  { terminal }: CommandContext,
  keyFile: string,
  work: (run: ExclusiveRun) => Promise<void>,
): Promise<boolean> {
  const lock = await KeyFileLock.acquire(keyFile, {
    onWatch: (holder, ms) =>
      terminal.writeNotice(
        `The key file was used by process ${holder.pid} on ${holder.host}. ` +
          `It takes ${ms / 1000} s to find out whether that one still runs.`,
      ),
  });
  const { signal, done } = listenForInterruption();
  try {
    await work({ signal, lost: lock.lost });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    done();
    lock.release();
  }
  if (signal.reason === 'SIGHUP') throw new Error('The terminal was closed.');
  return signal.aborted;
}

/** `done` removes the signal handlers. */
function listenForInterruption(): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  // Node.js handles a hangup that nohup has told it to ignore. It means nothing to a process without a terminal.
  const isAttached = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const onSignal = (name: NodeJS.Signals): void => {
    if (name === 'SIGHUP' && !isAttached) return;
    if (controller.signal.aborted) process.exit(1);
    controller.abort(name);
  };
  INTERRUPTION_SIGNALS.forEach((name) => process.on(name, onSignal));
  return {
    signal: controller.signal,
    done: () => INTERRUPTION_SIGNALS.forEach((name) => process.off(name, onSignal)),
  };
}
