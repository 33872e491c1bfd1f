import { MAX_LIVE_OUTPUT_BYTES_PER_SECOND, MIN_DELTA_INTERVAL_MS, WATCH_LEASE_MS } from '@external-api/protocol';
import { type LiveMessageType, type LiveTopic, TokenBucket } from '../../relay-bus';

/** Time after the end of a lease in which messages may still arrive that were sent before. */
const GRACE_MS = 5_000;
/** A device is asked again when its lease would last longer by this time, however many instances renew theirs. */
const MIN_EXTENSION_MS = 5_000;
const MAX_WATCHERS = 64;

/** Every message costs at least as many bytes, which limits how many small ones a device may send. */
const MIN_MESSAGE_COST: Record<LiveMessageType, number> = { output: 16_384, delta: 8_192, progress: 8_192 };
/** How many seconds of output or deltas may arrive at once, for instance after the network has stalled. */
const BURST_SECONDS = 2;
const DELTAS_PER_SECOND = 1_000 / MIN_DELTA_INTERVAL_MS;
/** Bytes of packets at the full rate: base64 and members for output, ciphertext and members for deltas. */
const PACKET_BYTES_PER_SECOND: Record<LiveMessageType, number> = {
  output: 1.5 * MAX_LIVE_OUTPUT_BYTES_PER_SECOND,
  delta: DELTAS_PER_SECOND * 10_240,
  progress: DELTAS_PER_SECOND * 10_240,
};
/** Up to this multiple of the rate, messages are dropped without further consequences. */
const TOLERANCE_FACTOR = 4;

/** Whether a message is passed on, exceeds the rate, or exceeds it several times, as if nobody had asked for it. */
export type LiveAdmission = 'forwarded' | 'dropped' | 'excess';

/**
 * Session or invocation of a device that instances watch, or have watched a moment ago. Times are Unix ms in server
 * time unless they are said to be monotonic.
 */
export class WatchedTopic {
  /** When messages are no longer expected. */
  forgetAt: number;
  /** End of the lease of each watching instance. */
  private readonly leases = new Map<string, number>();
  /** End of the lease that the device knows. */
  private askedUntil = 0;
  private readonly rate: TokenBucket;
  private readonly tolerance: TokenBucket;

  /** @param monotonicNow monotonic ms */
  constructor(
    readonly topic: LiveTopic,
    now: number,
    monotonicNow: number,
  ) {
    this.forgetAt = now;
    const perSecond = topic.type === 'output' ? MAX_LIVE_OUTPUT_BYTES_PER_SECOND : DELTAS_PER_SECOND;
    const tolerated = TOLERANCE_FACTOR * PACKET_BYTES_PER_SECOND[topic.type];
    this.rate = new TokenBucket(perSecond, BURST_SECONDS * perSecond, monotonicNow);
    this.tolerance = new TokenBucket(tolerated, BURST_SECONDS * tolerated, monotonicNow);
  }

  /** Returns the time until which the device must be asked, or null if it knows enough. */
  extendLease(watcherId: string, until: number, now: number): number | null {
    if (!this.leases.has(watcherId) && this.leases.size >= MAX_WATCHERS) return null;
    this.leases.set(watcherId, until);
    this.forgetAt = Math.max(this.forgetAt, until + GRACE_MS);
    this.limitLeases(now + WATCH_LEASE_MS);
    const latestEnd = this.findLatestEnd();
    if (latestEnd - this.askedUntil < MIN_EXTENSION_MS) return null;
    this.askedUntil = latestEnd;
    return latestEnd;
  }

  /** Returns `now` if the device must stop, or null if others watch or it was not asked. */
  endLease(watcherId: string, now: number): number | null {
    if (!this.leases.delete(watcherId) || this.findLatestEnd() > now) return null;
    this.forgetAt = now + GRACE_MS;
    if (this.askedUntil <= now) return null;
    this.askedUntil = now;
    return now;
  }

  /** Returns the time until which a device that has connected must be asked, or null if nobody watches. */
  repeatRequest(now: number): number | null {
    const latestEnd = this.findLatestEnd();
    if (latestEnd <= now) return null;
    this.askedUntil = latestEnd;
    return latestEnd;
  }

  /** Returns the instances that get a message, also for a moment after their leases. */
  listWatchers(now: number): string[] {
    return [...this.leases].flatMap(([watcherId, until]) => (until + GRACE_MS > now ? [watcherId] : []));
  }

  removeExpiredLeases(now: number): void {
    for (const [watcherId, until] of this.leases) if (until + GRACE_MS <= now) this.leases.delete(watcherId);
  }

  /**
   * Consumes from what the device may send about the topic.
   * @param contentBytes decoded bytes of output; any number for a delta
   * @param packetBytes bytes of the packet on the socket
   * @param monotonicNow monotonic ms
   */
  admitMessage(contentBytes: number, packetBytes: number, monotonicNow: number): LiveAdmission {
    const minCost = MIN_MESSAGE_COST[this.topic.type];
    if (!this.tolerance.consume(Math.max(packetBytes, minCost), monotonicNow)) return 'excess';
    const cost = this.topic.type === 'output' ? Math.max(contentBytes, minCost) : 1;
    return this.rate.consume(cost, monotonicNow) ? 'forwarded' : 'dropped';
  }

  /**
   * Corrects times of before the clock was set back, which are further away than any lease. Server time is an estimate
   * that may go back by some milliseconds at each sample, after which the device knows enough.
   */
  private limitLeases(maxUntil: number): void {
    for (const [watcherId, until] of this.leases) if (until > maxUntil) this.leases.set(watcherId, maxUntil);
    if (this.askedUntil > maxUntil + MIN_EXTENSION_MS) this.askedUntil = 0;
    this.forgetAt = Math.min(this.forgetAt, maxUntil + GRACE_MS);
  }

  private findLatestEnd(): number {
    return Math.max(0, ...this.leases.values());
  }
}
