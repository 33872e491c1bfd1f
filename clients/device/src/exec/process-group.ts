import { setTimeout as sleep } from 'node:timers/promises';
import { getErrnoCode } from './command-error';
import { findRunningMember } from './process-identity';

const LIVENESS_POLL_INTERVAL_MS = 15;

/** Time between SIGTERM and SIGKILL. */
export const TERMINATION_GRACE_MS = 500;

const liveGroups = new Set<ProcessGroup>();

/** Process group of a started command, with all children that have not left the group. */
export class ProcessGroup {
  private lastMember: number;

  constructor(private readonly leaderPid: number) {
    this.lastMember = leaderPid;
    liveGroups.add(this);
  }

  /** Returns false when the group has no processes left. Signal 0 only checks. */
  sendSignal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.leaderPid, signal);
    } catch (error) {
      return getErrnoCode(error) === 'EPERM';
    }
  }

  /** Doesn't count processes that have ended, which signals reach until their parent has noticed their end. */
  isAlive(): boolean {
    if (!this.sendSignal(0)) return false;
    const member = findRunningMember(this.leaderPid, this.lastMember);
    if (member === undefined) return false;
    this.lastMember = member;
    return true;
  }

  /** Sends SIGTERM, and SIGKILL to the processes that are left after the grace period. */
  async terminateGroup(graceMs = TERMINATION_GRACE_MS): Promise<void> {
    this.sendSignal('SIGTERM');
    const deadline = performance.now() + graceMs;
    while (this.isAlive()) {
      if (performance.now() >= deadline) {
        this.sendSignal('SIGKILL');
        return;
      }
      await sleep(LIVENESS_POLL_INTERVAL_MS);
    }
  }

  unregisterGroup(): void {
    liveGroups.delete(this);
  }
}

/** Kills all started commands synchronously, when the process exits. */
export function killAllProcessGroups(): void {
  for (const group of liveGroups) group.sendSignal('SIGKILL');
}
