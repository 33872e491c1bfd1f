import { SECOND, type Clock } from '../../common/clock';
import { isSuccess, wasSent, type Exchange } from '../sending/exchange';
import type { Endpoint, Endpoints } from './endpoints';
import { DEADLINE_MS } from '../sending/sender';
import { afterTry, type LaneHealth } from './lane-health';
import { LEASE_MS, type LanesRepository, type Lease } from './lanes.repository';
import type { QueuedRow, QueueRepository } from './queue.repository';
import type { Ended, Tries } from './tries';

/** Tries at once of one endpoint (webhooks.md, Engine). */
const MAX_IN_FLIGHT = 10;
const FETCH = 200;
const RENEW_AFTER_MS = 20 * SECOND;
/** How long what was read of the endpoint is trusted, as a token's look-up is. */
const TRUSTED_MS = 500;
const LOOK_AGAIN_MS = 500;

/** What a runner works with. */
export interface LaneTools {
  lanes: LanesRepository;
  queue: QueueRepository;
  endpoints: Endpoints;
  tries: Tries;
  clock: Clock;
}

/** Sends what waits in one lane, while this instance holds it. */
export class LaneRunner {
  private readonly waiting: QueuedRow[] = [];
  /** Ids of deliveries that wait here, are under way, or are being written. */
  private readonly taken = new Set<string>();
  private inFlight = 0;
  private health: LaneHealth;
  /** Its breaker is open, and lets this one try through. */
  private probing: boolean;
  private ended = false;
  private leasedAt: number;
  private lookedAt = -Infinity;
  private looking: Promise<void> | null = null;
  private failure: Error | null = null;
  private mayHaveMore = true;
  private endpoint: { found: Endpoint; readAt: number } | null = null;
  private nudges = 0;
  private changed = false;
  private wakeUp: () => void = () => undefined;

  /** @param leasedAt on the monotonic clock: when the lease was asked for */
  constructor(
    private readonly lease: Lease,
    leasedAt: number,
    private readonly tools: LaneTools,
  ) {
    this.leasedAt = leasedAt;
    this.health = lease.health;
    this.probing = lease.health.probeAt !== null;
  }

  /** Until nothing is due, the breaker opens, the lease is lost, or it is told to end; then nothing is under way. */
  async run(): Promise<void> {
    try {
      while (!this.ended && (await this.hold())) {
        if (this.failure) throw this.failure;
        this.changed = false;
        this.refill();
        if (this.taken.size === 0 && !this.looking) return;
        const endpoint = await this.current();
        if (endpoint) this.start(endpoint);
        await this.change();
      }
    } finally {
      this.end();
      while (this.taken.size > 0 || this.looking) await this.change();
    }
  }

  /** Something is new: deliveries, or the subscription's state. */
  nudge(): void {
    this.mayHaveMore = true;
    this.nudges++;
    this.endpoint = null;
    this.wake();
  }

  /** Starts nothing more. */
  end(): void {
    this.ended = true;
    for (const { id } of this.waiting.splice(0)) this.taken.delete(id);
    this.wake();
  }

  private get allowed(): number {
    return this.probing ? 1 : MAX_IN_FLIGHT;
  }

  private async hold(): Promise<boolean> {
    const now = this.tools.clock.monotonic();
    if (now - this.leasedAt < RENEW_AFTER_MS) return true;
    const held = await this.tools.lanes.renew(this.lease);
    this.leasedAt = now;
    return held;
  }

  /** Looks for more in time, while what there is goes out. */
  private refill(): void {
    const now = this.tools.clock.monotonic();
    const isLow = this.probing ? this.taken.size === 0 : this.waiting.length < FETCH / 2;
    const hasRoom = this.waiting.length > 0 || this.inFlight < this.allowed;
    const isTime = this.mayHaveMore || now - this.lookedAt >= LOOK_AGAIN_MS;
    if (this.looking || !isLow || !hasRoom || !isTime) return;
    this.lookedAt = now;
    this.mayHaveMore = false;
    this.looking = this.look().finally(() => {
      this.looking = null;
      this.wake();
    });
  }

  private async look(): Promise<void> {
    const { clock, queue } = this.tools;
    const limit = this.probing ? 1 : FETCH;
    const { webhookId } = this.lease;
    const rows = await queue.due(webhookId, clock.date(), [...this.taken], limit).catch((error: Error) => {
      this.failure = error;
      return [];
    });
    // It may have been told to end while it looked.
    if (this.ended) return;
    this.mayHaveMore ||= rows.length === limit;
    for (const row of rows) this.taken.add(row.id);
    this.waiting.push(...rows);
  }

  /** Where what waits goes, read again right before it does; null when nothing can be started. */
  private async current(): Promise<Endpoint | null> {
    if (this.waiting.length === 0 || this.inFlight >= this.allowed) return null;
    const now = this.tools.clock.monotonic();
    if (this.endpoint && now - this.endpoint.readAt < TRUSTED_MS) return this.endpoint.found;
    const { nudges } = this;
    const found = await this.tools.endpoints.find(this.lease);
    if (!found?.isActive) {
      this.end();
      return null;
    }
    // What was read before a nudge may be out of date already.
    if (nudges === this.nudges) this.endpoint = { found, readAt: now };
    return found;
  }

  private start(endpoint: Endpoint): void {
    while (this.waiting.length > 0 && this.inFlight < this.allowed && this.outlivesTry()) {
      void this.try(this.waiting.shift()!, endpoint);
    }
  }

  /** Whether the lease lasts longer than a try that begins now; it is renewed before the next look where it does not. */
  private outlivesTry(): boolean {
    return this.tools.clock.monotonic() - this.leasedAt < LEASE_MS - DEADLINE_MS;
  }

  private async try(delivery: QueuedRow, endpoint: Endpoint): Promise<void> {
    try {
      const { exchange, written } = await this.send(delivery, endpoint);
      if (exchange && wasSent(exchange)) this.judge(exchange);
      this.wake();
      if (!(await written)) this.end();
    } catch (error) {
      this.failure = error as Error;
    } finally {
      this.taken.delete(delivery.id);
      this.wake();
    }
  }

  private async send(delivery: QueuedRow, endpoint: Endpoint): Promise<Ended> {
    this.inFlight++;
    try {
      return await this.tools.tries.run(this.lease, this.leasedAt + LEASE_MS, endpoint, delivery);
    } finally {
      this.inFlight--;
    }
  }

  private judge(exchange: Exchange): void {
    const succeeded = isSuccess(exchange);
    this.health = afterTry(this.health, succeeded, this.tools.clock.date());
    if (succeeded) this.probing = false;
    else if (this.health.probeAt || exchange.status === 410) this.end();
  }

  private wake(): void {
    this.changed = true;
    this.wakeUp();
  }

  private async change(): Promise<void> {
    if (!this.changed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_AGAIN_MS);
        this.wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.changed = false;
  }
}
