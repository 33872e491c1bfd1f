import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { isDatabaseUnavailable, UnitOfWork } from '../../persistence';
import type { AttemptEntity } from '../deliveries/attempt.entity';
import { AttemptPartitions } from '../deliveries/attempt-partitions';
import { AttemptsRepository } from '../deliveries/attempts.repository';
import { isSuccess, wasSent, type Exchange } from '../sending/exchange';
import { WebhooksRepository } from '../subscriptions/webhooks.repository';
import { afterTry, isGivenUp, type LaneHealth } from './lane-health';
import { LanesRepository, type LaneOutcome, type LockedLane } from './lanes.repository';
import { QueueRepository, type DeliveryOutcome } from './queue.repository';

const MAX_BATCH = 500;
/** Tries that end together are written together; none of them waits for this before the next is begun. */
const GATHER_MS = 20;
const PATIENCE_MS = 250;

/** The end of one try, or of a delivery that was not tried. */
export interface Finish {
  /** The fence. */
  lease: string;
  outcome: DeliveryOutcome;
  at: Date;
  /** Null when nothing was sent. */
  exchange: Exchange | null;
  /** On the monotonic clock: when its lease ends, and with it the right to write. */
  validUntil: number;
}

interface Waiting {
  finish: Finish;
  /** True once it is written; false when it came too late. */
  settle: (written: boolean) => void;
}

/** Writes what came of tries, those that end together in one transaction, each under its lane's fence. */
@Injectable()
export class Finisher {
  private readonly logger = new Logger('Webhooks');
  private waiting: Waiting[] = [];
  private writing = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly lanes: LanesRepository,
    private readonly queue: QueueRepository,
    private readonly webhooks: WebhooksRepository,
    private readonly attempts: AttemptsRepository,
    private readonly partitions: AttemptPartitions,
    private readonly clock: Clock,
  ) {}

  finish(finish: Finish): Promise<boolean> {
    return new Promise((settle) => {
      this.waiting.push({ finish, settle });
      if (!this.writing) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.writing = true;
    while (this.waiting.length > 0) {
      if (this.waiting.length < MAX_BATCH) await sleep(GATHER_MS);
      const batch = this.waiting.splice(0, MAX_BATCH);
      const written = await this.writePatiently(batch.map(({ finish }) => finish));
      for (const { finish, settle } of batch) settle(written.has(finish));
    }
    this.writing = false;
  }

  /** While the database is away a try's end waits, as long as its lease holds. */
  private async writePatiently(finishes: Finish[]): Promise<Set<Finish>> {
    for (;;) {
      const valid = finishes.filter(({ validUntil }) => validUntil > this.clock.monotonic());
      if (valid.length === 0) return new Set();
      try {
        return await this.writeLogged(valid);
      } catch (error) {
        if (!isDatabaseUnavailable(error)) {
          this.logger.error({ err: error }, 'the ends of tries were not written');
          return new Set();
        }
        await sleep(PATIENCE_MS);
      }
    }
  }

  /** The log never keeps a delivery from being finished; a partition that is missing is made on the spot. */
  private async writeLogged(finishes: Finish[]): Promise<Set<Finish>> {
    const log = finishes.flatMap(toAttempt);
    for (let round = 0; round < 2; round++) {
      try {
        await this.partitions.ensure(log.map(({ at }) => at.getTime()));
        return await this.write(finishes, log);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        this.partitions.forget();
        this.logger.warn({ reason: (error as Error).message }, 'tries could not be logged');
      }
    }
    return this.write(finishes, []);
  }

  private write(finishes: Finish[], log: AttemptEntity[]): Promise<Set<Finish>> {
    return this.unitOfWork.run(async () => {
      const lanes = await this.lanes.lock([...new Set(finishes.map(({ outcome }) => outcome.webhookId))]);
      const held = new Map(lanes.map((lane) => [lane.webhookId, lane]));
      const fenced = finishes.filter(({ lease, outcome }) => held.get(outcome.webhookId)?.lease === lease);
      if (fenced.length === 0) return new Set();
      // Less than all where an earlier commit was made and its answer lost.
      const changed = await this.queue.write(fenced.map(({ outcome }) => outcome));
      const logged = log.filter(({ deliveryId }) => changed.has(deliveryId));
      if (logged.length > 0) await this.attempts.insert(logged);
      await this.noteHealth(
        fenced.filter(({ outcome }) => changed.has(outcome.id)),
        held,
      );
      return new Set(fenced);
    });
  }

  private async noteHealth(finishes: Finish[], lanes: Map<string, LockedLane>): Promise<void> {
    const outcomes = new Map<string, LaneOutcome>();
    const given: [id: string, reason: 'gone' | 'failing'][] = [];
    for (const { outcome, at, exchange } of finishes) {
      if (!exchange || !wasSent(exchange)) continue;
      const { webhookId } = outcome;
      const before: LaneHealth = outcomes.get(webhookId)?.health ?? lanes.get(webhookId)!.health;
      const health = afterTry(before, isSuccess(exchange), at);
      outcomes.set(webhookId, { webhookId, health, lastDeliveryAt: at, lastDeliveryStatus: exchange.status });
      if (exchange.status === 410) given.push([webhookId, 'gone']);
      else if (isGivenUp(health, at)) given.push([webhookId, 'failing']);
    }
    if (outcomes.size > 0) await this.lanes.note([...outcomes.values()]);
    for (const [id, reason] of new Map(given)) await this.disable(id, reason);
  }

  private async disable(id: string, reason: 'gone' | 'failing'): Promise<void> {
    await this.webhooks.disable(id, reason, this.clock.date());
    await this.lanes.refreshDue([id]);
    this.logger.log({ webhookId: id, reason }, 'a webhook was disabled');
  }
}

/** At its end, and exactly as long after its beginning as it took: that is the time that the request was stamped with. */
function toAttempt({ outcome, exchange }: Finish): AttemptEntity[] {
  if (!exchange) return [];
  const { id: deliveryId, webhookId, attempts: attempt } = outcome;
  const { status, sentAt, durationMs, error, response } = exchange;
  const at = new Date(sentAt + durationMs);
  return [{ webhookId, deliveryId, attempt, at, status, durationMs, error, response }];
}
