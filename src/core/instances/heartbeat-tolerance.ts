import { HOUR, type Clock } from '../../common/clock';

export const HEARTBEAT_MS = 2_000;
/** Time without a heartbeat after which an instance counts as dead. */
const DEAD_AFTER_MS = 10_000;
/** Time between two heartbeats of an instance after which it may have been unable to send one. */
const INTERRUPTED_AFTER_MS = 2 * HEARTBEAT_MS;
/** Time that others have for a heartbeat after an interruption: their connections may come back later. */
const GRACE_MS = 20_000;

/**
 * Age that the heartbeat of another instance may have. While PostgreSQL is away, nobody can send heartbeats, and the
 * first instance to reach it again must not take all others for dead. An interruption of this instance's own heartbeats
 * therefore doesn't count, until the others have had time for one.
 */
export class HeartbeatTolerance {
  /** Monotonic ms, like all times of this class. */
  private lastHeartbeatAt: number;
  /** Last heartbeat before the interruption, and the first one after it. */
  private interruptedAt: number;
  private resumedAt: number;

  /** A process may start right after an outage of unknown length, before the others have sent a heartbeat. */
  constructor(private readonly clock: Clock) {
    this.lastHeartbeatAt = clock.monotonicMs();
    this.resumedAt = this.lastHeartbeatAt;
    this.interruptedAt = this.lastHeartbeatAt - HOUR;
  }

  /** Call after each heartbeat of this instance. */
  recordHeartbeat(): void {
    const now = this.clock.monotonicMs();
    if (this.isInterrupted(now)) {
      this.interruptedAt = this.getInterruptionStart();
      this.resumedAt = now;
    }
    this.lastHeartbeatAt = now;
  }

  /** Returns the age in ms above which the heartbeat of another instance means that it is dead. */
  getDeadAfterMs(): number {
    const now = this.clock.monotonicMs();
    if (!this.isInterrupted(now) && !this.isWithinGrace(now)) return DEAD_AFTER_MS;
    return now - this.getInterruptionStart() + DEAD_AFTER_MS;
  }

  private isInterrupted(now: number): boolean {
    return now - this.lastHeartbeatAt > INTERRUPTED_AFTER_MS;
  }

  private isWithinGrace(time: number): boolean {
    return time - this.resumedAt < GRACE_MS;
  }

  /** An interruption that begins soon after another one belongs to it: others may have been unable to use the pause. */
  private getInterruptionStart(): number {
    return this.isWithinGrace(this.lastHeartbeatAt) ? this.interruptedAt : this.lastHeartbeatAt;
  }
}
