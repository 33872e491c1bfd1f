import type { CallOutcome } from '../relay-call';

/** A pending call at its origin. Times are `performance.now()` values. */
export class OutgoingCall {
  /** The outcome as the owner sees it. Resolves to null if the device has left the owner. */
  readonly completion: Promise<CallOutcome | null>;
  readonly sentAt = performance.now();
  /** Time of the owner's last heartbeat for this call; initially the time of sending. */
  ownerHeardAt = this.sentAt;
  /** Instance that the call was routed to; null until the call is known to be sent. */
  owner: string | null = null;
  deviceId: string | null = null;
  /** Reason of the caller's cancellation. */
  cancelReason: string | null = null;
  private isOver = false;
  private readonly refusalsByInstance = new Map<string, CallOutcome | null>();
  private readonly timer: NodeJS.Timeout;
  private resolveCompletion!: (outcome: CallOutcome | null) => void;

  /** @param attempt attempt number, from 1 */
  constructor(
    answerTimeoutMs: number,
    readonly attempt: number,
  ) {
    this.completion = new Promise((resolve) => (this.resolveCompletion = resolve));
    this.timer = setTimeout(() => this.failCall('timeout'), answerTimeoutMs);
  }

  assignOwner(owner: string, deviceId: string): void {
    Object.assign(this, { owner, deviceId });
    this.applyOwnerRefusal();
  }

  /**
   * Records a refusal, which counts only if it is from the call's owner. The owner may not be known yet. Other
   * instances refuse replayed copies of the call, and believing them would route the call again while it runs.
   */
  recordRefusal(instanceId: string, refusal: CallOutcome | null): void {
    this.refusalsByInstance.set(instanceId, refusal);
    this.applyOwnerRefusal();
  }

  /** Whether the call has ended. `completion` settles later, after other messages of the same packet were handled. */
  get isCompleted(): boolean {
    return this.isOver;
  }

  completeCall(outcome: CallOutcome | null): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.resolveCompletion(outcome);
  }

  failCall(reason: 'timeout' | 'device_disconnected'): void {
    const deviceMs = Math.round(performance.now() - this.sentAt);
    this.completeCall({ kind: 'unknown', reason, deviceId: null, routeMs: 0, deviceMs });
  }

  private applyOwnerRefusal(): void {
    const refusal = this.owner === null ? undefined : this.refusalsByInstance.get(this.owner);
    if (refusal !== undefined) this.completeCall(refusal);
  }
}
