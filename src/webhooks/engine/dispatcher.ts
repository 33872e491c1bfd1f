import { Injectable, Logger } from '@nestjs/common';
import { Clock, SECOND } from '../../common/clock';
import { Ticker } from '../../common/ticker';
import { Instances } from '../../instances';
import { UnitOfWork } from '../../persistence';
import { Endpoints } from './endpoints';
import { LaneRunner, type LaneTools } from './lane-runner';
import { LanesRepository, type Lease } from './lanes.repository';
import { QueueRepository } from './queue.repository';
import { Tries } from './tries';
import { WebhookMetrics } from './webhook-metrics';

const EVERY_MS = 500;
/** Lanes held at once: a hanging endpoint takes one for as long as its tries hang. */
const MAX_LANES = 500;
/** How long a lane is held while others find no room. */
const QUANTUM_MS = 5 * SECOND;

interface Held {
  runner: LaneRunner;
  /** On the monotonic clock. */
  since: number;
  done: Promise<void>;
}

/** Takes lanes that have something to do, and gives them back when they have not. */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger('Webhooks');
  private readonly runners = new Map<string, Held>();
  private readonly ticker = new Ticker('webhook lanes', EVERY_MS, () => this.lease());
  private readonly tools: LaneTools;
  private stopped = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly instances: Instances,
    private readonly lanes: LanesRepository,
    queue: QueueRepository,
    endpoints: Endpoints,
    tries: Tries,
    private readonly metrics: WebhookMetrics,
    private readonly clock: Clock,
  ) {
    this.tools = { lanes, queue, endpoints, tries, clock };
  }

  start(): void {
    this.ticker.start();
  }

  /** Something is new for these, by a transaction that has committed. */
  nudge(webhookIds: readonly string[]): void {
    for (const id of webhookIds) this.runners.get(id)?.runner.nudge();
    this.ticker.nudge();
  }

  /** Takes no lane any more, starts no try, and waits for those under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const { runner } of this.runners.values()) runner.end();
    await this.ticker.stop();
    await Promise.all([...this.runners.values()].map(({ done }) => done));
  }

  private async lease(): Promise<boolean> {
    const room = MAX_LANES - this.runners.size;
    if (room <= 0) {
      this.makeRoom();
      return false;
    }
    const leasedAt = this.clock.monotonic();
    const leases = await this.lanes.lease(this.instances.self, this.clock.date(), room);
    for (const lease of leases) {
      const runner = new LaneRunner(lease, leasedAt, this.tools);
      if (this.stopped) runner.end();
      this.runners.set(lease.webhookId, { runner, since: leasedAt, done: this.run(lease, runner) });
    }
    this.metrics.lanes.set(this.runners.size);
    return false;
  }

  private async run(lease: Lease, runner: LaneRunner): Promise<void> {
    const isDue = await this.runAndRelease(lease, runner);
    const wasFull = this.runners.size >= MAX_LANES;
    // By now it may have been leased again.
    if (this.runners.get(lease.webhookId)?.runner === runner) this.runners.delete(lease.webhookId);
    this.metrics.lanes.set(this.runners.size);
    if (isDue || wasFull) this.ticker.nudge();
  }

  /** Whether something is due in it again. */
  private async runAndRelease(lease: Lease, runner: LaneRunner): Promise<boolean> {
    try {
      await runner.run();
      return await this.release(lease);
    } catch (error) {
      this.logger.warn({ webhookId: lease.webhookId, reason: (error as Error).message }, 'a lane was left');
      // Where that fails too, the lease ends by itself, and somebody goes on.
      await this.release(lease).catch(() => undefined);
      return false;
    }
  }

  /** Those that were held longest are given back, to wait behind the others. */
  private makeRoom(): void {
    const since = this.clock.monotonic() - QUANTUM_MS;
    for (const held of this.runners.values()) if (held.since <= since) held.runner.end();
  }

  /** Locks first and looks then, in a statement of its own: what was inserted meanwhile is seen. True when it is due. */
  private async release({ webhookId, lease }: Lease): Promise<boolean> {
    const dueAt = await this.unitOfWork.run(async () => {
      const [lane] = await this.lanes.lock([webhookId]);
      if (lane?.lease !== lease) return null;
      await this.lanes.refreshDue([webhookId]);
      return this.lanes.release(webhookId);
    });
    return dueAt !== null && dueAt.getTime() <= this.clock.now();
  }
}
