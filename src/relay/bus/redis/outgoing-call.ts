import type { Delivery } from '../device-connection';

/** A call that its origin waits for. Times are of `performance.now()`. */
export class OutgoingCall {
  readonly ended: Promise<{ delivery: Delivery; deviceMs: number }>;
  readonly sentAt = performance.now();
  /** When its owner was last known to live and to have it; at first, when it was sent. */
  heardAt = this.sentAt;
  /** Known once it is routed. */
  owner: string | null = null;
  deviceId: string | null = null;
  /** Why its caller wants it no more. */
  cancelled: string | null = null;
  private readonly timer: NodeJS.Timeout;
  private resolve!: (ending: { delivery: Delivery; deviceMs: number }) => void;

  /** @param attempt which offer of the call this is, from 1 */
  constructor(
    answerWithinMs: number,
    readonly attempt: number,
  ) {
    this.ended = new Promise((resolve) => (this.resolve = resolve));
    this.timer = setTimeout(() => this.lose('timeout'), answerWithinMs);
  }

  /** @param deviceMs from the socket and back, as its owner measured it */
  end(delivery: Delivery, deviceMs: number): void {
    clearTimeout(this.timer);
    this.resolve({ delivery, deviceMs });
  }

  lose(reason: 'timeout' | 'device_disconnected'): void {
    this.end({ kind: 'lost', reason }, Math.round(performance.now() - this.sentAt));
  }
}
