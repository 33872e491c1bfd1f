import { DataSource } from 'typeorm';
import { Clock } from '../../../src/common/clock';
import { generateId } from '../../../src/common/ids';
import { loadConfig } from '../../../src/core/config';
import { QueueScan, UnitOfWork } from '../../../src/core/database';
import { EventOutboxService, type DomainEvent } from '../../../src/core/events';
import { OutboxRepository } from '../../../src/core/events/outbox.repository';
import { DeliveriesRepository } from '../../../src/modules/webhooks/deliveries/deliveries.repository';
import {
  EndpointQueuesRepository,
  type EndpointLease,
} from '../../../src/modules/webhooks/dispatch/endpoint-queues.repository';
import { PendingDeliveriesRepository } from '../../../src/modules/webhooks/dispatch/pending-deliveries.repository';
import { createDatabaseEnvironment, type TestDatabase } from '../postgres';

/** Buffers that the plan of a statement touches, as `EXPLAIN (ANALYZE, BUFFERS)` reports them. */
interface ExplainedPlan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/** Counts the buffers of each statement, which it runs once more and rolls back. */
class MeasuringUnitOfWork extends UnitOfWork {
  isMeasuring = false;
  buffers = 0;

  override async queryRows<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    if (this.isMeasuring) await this.runInTransaction(() => this.countBuffers(sql, parameters));
    return super.queryRows<Row>(sql, parameters);
  }

  private async countBuffers(sql: string, parameters: unknown[]): Promise<void> {
    await this.manager.query('SAVEPOINT measurement');
    const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`;
    const [row] = await this.manager.query<{ 'QUERY PLAN': { Plan: ExplainedPlan }[] }[]>(explain, parameters);
    await this.manager.query('ROLLBACK TO SAVEPOINT measurement');
    const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = row!['QUERY PLAN'][0]!.Plan;
    this.buffers += hit + read;
  }
}

/** What an instance does with webhook queues, step by step: the repositories without workers and timers. */
export class WebhookQueues {
  /** Time of the monotonic clock of this instance, in ms. */
  monotonicMs = 0;
  readonly outbox: EventOutboxService;
  readonly unitOfWork: MeasuringUnitOfWork;
  readonly queues: EndpointQueuesRepository;
  /** Buffers by step, while `measure` runs. */
  private readonly counts = new Map<string, number>();

  private readonly pending: PendingDeliveriesRepository;
  private readonly deliveries: DeliveriesRepository;
  private readonly dueScan: QueueScan;

  private constructor(private readonly dataSource: DataSource) {
    const clock = Object.assign(new Clock(), { monotonicMs: () => this.monotonicMs });
    this.unitOfWork = new MeasuringUnitOfWork(dataSource);
    this.outbox = new EventOutboxService(this.unitOfWork, new OutboxRepository(this.unitOfWork), clock);
    this.queues = new EndpointQueuesRepository(
      this.unitOfWork,
      loadConfig(createDatabaseEnvironment('postgres://_/_')),
    );
    this.pending = new PendingDeliveriesRepository(this.unitOfWork);
    this.deliveries = new DeliveriesRepository(this.unitOfWork, null as never);
    this.dueScan = new QueueScan(clock);
  }

  static async open(database: TestDatabase): Promise<WebhookQueues> {
    return new WebhookQueues(await new DataSource({ type: 'postgres', url: database.url }).initialize());
  }

  close(): Promise<void> {
    return this.dataSource.destroy();
  }

  /** Commits an event for this webhook. `beforeCommit` runs after its row was written. */
  async commitEvent(webhookId: string, beforeCommit: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const event = { type: 'webhook.test', accountId: 'acc_1', data: { id: webhookId } } as DomainEvent;
    await this.unitOfWork.runInTransaction(async () => {
      await this.outbox.addEventForWebhook(event, webhookId);
      await beforeCommit();
    });
  }

  /** Commits events in one transaction, for the webhooks that match them. */
  commitEvents(events: readonly DomainEvent[]): Promise<void> {
    return this.unitOfWork.runInTransaction(() => {
      for (const event of events) this.outbox.addEvent(event);
      return Promise.resolve();
    });
  }

  /** Takes events and returns the webhooks that they are for. */
  async takeWebhookIds(limit = 200): Promise<string[]> {
    const { events } = await this.unitOfWork.runInTransaction(() => this.outbox.takeEvents(limit));
    return events.flatMap((event) => event.webhook_ids);
  }

  /** Delivers an event to each of these webhooks. */
  async deliverEvents(webhookIds: readonly string[]): Promise<void> {
    await this.unitOfWork.runInTransaction(async () => {
      for (const id of webhookIds) await this.commitEvent(id);
    });
    await this.step('take', () => this.takeWebhookIds());
    await this.step('fan out', () => this.insertDeliveries(webhookIds));
    const leases = await this.step('lease', () => this.leaseQueues());
    const ids = await this.step('read due', () => this.findDueIds(leases));
    await this.step('write results', () => this.writeResults(leases, ids));
    await this.step('release', () => Promise.all(leases.map((lease) => this.queues.releaseLease(lease))));
  }

  /** Returns the buffers that each step of `deliverEvents` touches. */
  async measure(webhookIds: readonly string[]): Promise<Record<string, number>> {
    this.counts.clear();
    this.unitOfWork.isMeasuring = true;
    await this.deliverEvents(webhookIds);
    this.unitOfWork.isMeasuring = false;
    return Object.fromEntries(this.counts);
  }

  /** Leases due queues. Returns the leases. */
  async leaseQueues(limit = 500): Promise<EndpointLease[]> {
    const now = new Date();
    const scan = this.dueScan.start(now.getTime());
    const leases = await this.queues.leaseDueQueues('ins_1', scan.from, now, limit);
    scan.complete(now.getTime());
    return leases;
  }

  async insertDeliveries(webhookIds: readonly string[]): Promise<void> {
    const now = new Date();
    const createDelivery = (webhookId: string) => ({
      id: generateId('dlv'),
      webhookId,
      eventId: generateId('evt'),
      type: 'webhook.test' as const,
      payload: '{}',
      traceparent: null,
      nextAttemptAt: now,
      createdAt: now,
    });
    await this.unitOfWork.runInTransaction(async () => {
      await this.queues.lockEndpointQueues(webhookIds);
      await this.deliveries.insert(webhookIds.map(createDelivery));
      await this.queues.includeDueTimes(new Map(webhookIds.map((id) => [id, now])));
    });
    this.dueScan.include(now.getTime());
  }

  /** Returns the due deliveries, with their webhooks. */
  async findDueIds(leases: readonly EndpointLease[]): Promise<[webhookId: string, deliveryId: string][]> {
    const findIds = async (lease: EndpointLease) => {
      const rows = await this.pending.findDueDeliveries(lease, new Date(), [], 200);
      return rows.map(({ id }): [string, string] => [lease.webhookId, id]);
    };
    return (await Promise.all(leases.map(findIds))).flat();
  }

  private async writeResults(leases: readonly EndpointLease[], ids: readonly [string, string][]): Promise<void> {
    const now = new Date();
    const ended = { state: 'delivered', attempts: 1, lastStatus: 204, nextAttemptAt: null, finishedAt: now } as const;
    await this.unitOfWork.runInTransaction(async () => {
      await this.queues.lockEndpointQueues(leases.map(({ webhookId }) => webhookId));
      await this.pending.saveOutcomes(ids.map(([webhookId, id]) => ({ id, webhookId, ...ended })));
      await this.queues.saveOutcomes(
        leases.map((lease) => ({ ...lease, lastDeliveryAt: now, lastDeliveryStatus: 204 })),
      );
    });
  }

  private async step<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.unitOfWork.buffers = 0;
    const result = await work();
    this.counts.set(name, this.unitOfWork.buffers);
    return result;
  }
}
