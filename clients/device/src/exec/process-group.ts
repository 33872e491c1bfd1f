import { setTimeout as sleep } from 'node:timers/promises';
import { getErrnoCode } from './command-error';
import { findRunningMember } from './process-identity';

const LIVENESS_POLL_INTERVAL_MS = 15;

/** Time between SIGTERM and SIGKILL. */
export const TERMINATION_GRACE_MS = 500;

/** How long a killed process may take to end, unless the kernel holds it, as on a network drive without its server. */
const KILL_WAIT_MS = 1_000;

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

  /** Sends SIGTERM, and SIGKILL to what is left after the grace period. Resolves when all have ended. */
  async terminateGroup(graceMs = TERMINATION_GRACE_MS): Promise<void> {
    this.sendSignal('SIGTERM');
    if (await this.waitForEnd(graceMs)) return;
    this.sendSignal('SIGKILL');
    await this.waitForEnd(KILL_WAIT_MS);
  }

  /** Returns false if some processes have not ended in time. */
  private async waitForEnd(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (this.isAlive()) {
      if (performance.now() >= deadline) return false;
      await sleep(LIVENESS_POLL_INTERVAL_MS);
    }
    return true;
  }

  unregisterGroup(): void {
    liveGroups.delete(this);
  }
}

/** Kills all started commands synchronously, when the process exits. */
export function killAllProcessGroups(): void {
  for (const group of liveGroups) group.sendSignal('SIGKILL');
}
