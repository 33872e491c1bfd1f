import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from './command-error';

const POLL_MS = 15;

/** Between SIGTERM and SIGKILL. */
export const TERMINATION_GRACE_MS = 500;

const live = new Set<ProcessGroup>();

/** A started command with all that it forked, as long as they stay in the group that it leads. */
export class ProcessGroup {
  constructor(private readonly leaderPid: number) {
    live.add(this);
  }

  /** False when nothing is left to signal. Signal 0 only asks. */
  signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.leaderPid, signal);
    } catch (error) {
      return errnoOf(error) === 'EPERM';
    }
  }

  isAlive(): boolean {
    return this.signal(0);
  }

  /** SIGTERM, then SIGKILL to whatever is left after the grace. Resolves at the latest then. */
  async terminate(graceMs = TERMINATION_GRACE_MS): Promise<void> {
    this.signal('SIGTERM');
    const end = performance.now() + graceMs;
    while (this.isAlive()) {
      if (performance.now() >= end) {
        this.signal('SIGKILL');
        return;
      }
      await sleep(POLL_MS);
    }
  }

  release(): void {
    live.delete(this);
  }
}

/** For the way out of the process: synchronous, nothing that it started stays behind. */
export function killAllProcessGroups(): void {
  for (const group of live) group.signal('SIGKILL');
}
