import { setImmediate as soon } from 'node:timers/promises';
import { Logger, type Provider } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from '../../../common/clock';
import { ReadOnlyState } from '../../../common/read-only-state';
import { Config } from '../../../core/config';
import { DatabaseConnectionError, UnitOfWork } from '../../../core/database';
import { InstanceRegistry } from '../../../core/instances';
import { AttemptRunner } from './attempt-runner';
import { EventBacklogService } from './event-backlog.service';
import { CLOSED_CIRCUIT } from './circuit-breaker';
import { EndpointQueuesRepository, type EndpointLease } from './endpoint-queues.repository';
import { EndpointReader } from './endpoint-reader';
import { EndpointWorkerScheduler } from './endpoint-worker-scheduler';
import { PendingDeliveriesRepository } from './pending-deliveries.repository';
import { WebhookMetrics } from './webhook-metrics';

/** The scheduler's limit of leased queues. */
const CAPACITY = 500;
const QUANTUM_MS = 5_000;
const ENDPOINT = { url: 'http://receiver.example/', isActive: true, owner: null, signingKeys: [] };

interface SchedulerOverrides {
  findDueDeliveries?: () => Promise<object[]>;
  /** Called before each release, which fails if it throws. */
  onRelease?: () => void;
}

/** Simulates endpoint queues with endless deliveries, and receivers that respond when the test tells them to. */
class SchedulerFixture {
  now = 0;
  readonly dueIds: string[];
  /** Attempts that wait for a response, by webhook id. */
  private readonly openAttempts = new Map<string, (() => void)[]>();
  endpointWorkerScheduler!: EndpointWorkerScheduler;

  private constructor(
    queueCount: number,
    private readonly overrides: SchedulerOverrides,
  ) {
    this.dueIds = Array.from({ length: queueCount }, (_, n) => `whk_${n}`);
  }

  /** Creates the scheduler with fakes of what it depends on. */
  static async create(queueCount: number, overrides: SchedulerOverrides = {}): Promise<SchedulerFixture> {
    const fixture = new SchedulerFixture(queueCount, overrides);
    const module = await Test.createTestingModule({
      providers: [EndpointWorkerScheduler, ...fixture.createFakes()],
    }).compile();
    fixture.endpointWorkerScheduler = module.get(EndpointWorkerScheduler);
    fixture.endpointWorkerScheduler.start();
    return fixture;
  }

  countAttempts(webhookId: string): number {
    return this.openAttempts.get(webhookId)?.length ?? 0;
  }

  completeAttempts(webhookId: string): void {
    for (const complete of this.openAttempts.get(webhookId)!.splice(0)) complete();
  }

  async stop(): Promise<void> {
    const stopped = this.endpointWorkerScheduler.stop();
    await soon();
    for (const webhookId of this.openAttempts.keys()) this.completeAttempts(webhookId);
    await stopped;
  }

  /** Waits until pending promises have settled. */
  async waitUntilSettled(): Promise<void> {
    this.endpointWorkerScheduler.triggerWorkers(new Map());
    for (let i = 0; i < 50; i++) await soon();
  }

  private createFakes(): Provider[] {
    const findDueDeliveries = ({ webhookId }: EndpointLease) =>
      this.overrides.findDueDeliveries?.() ?? Promise.resolve(this.createPendingRows(webhookId));
    const runAttempt = ({ webhookId }: EndpointLease) => this.startAttempt(webhookId);
    const clock = { monotonicMs: () => this.now, currentDate: () => new Date(this.now), now: () => this.now };
    return [
      { provide: UnitOfWork, useValue: { runInTransaction: (work: () => unknown) => work() } },
      { provide: ReadOnlyState, useValue: new ReadOnlyState() },
      { provide: InstanceRegistry, useValue: { ownInstanceId: 'ins_1' } },
      { provide: EndpointQueuesRepository, useValue: this.createQueuesRepository() },
      { provide: PendingDeliveriesRepository, useValue: { findDueDeliveries } },
      { provide: EndpointReader, useValue: { readEndpoint: () => Promise.resolve(ENDPOINT) } },
      { provide: AttemptRunner, useValue: { runAttempt } },
      { provide: EventBacklogService, useValue: {} },
      { provide: WebhookMetrics, useValue: { recordLeasedQueues: () => undefined } },
      { provide: Clock, useValue: clock },
      { provide: Config, useValue: { webhooks: { attemptTimeoutSeconds: 20 } } },
    ];
  }

  private createQueuesRepository() {
    const leasedIds = new Set<string>();
    const release = async (...webhookIds: string[]) => {
      await soon();
      this.overrides.onRelease?.();
      for (const id of webhookIds) leasedIds.delete(id);
      this.dueIds.push(...webhookIds);
    };
    const createLease = (webhookId: string): EndpointLease => ({
      webhookId,
      fencingToken: '1',
      circuitBreaker: CLOSED_CIRCUIT,
      backlogEvents: 0,
    });
    return {
      leaseDueQueues: (_: string, __: number, ___: Date, limit: number) =>
        Promise.resolve(this.dueIds.splice(0, limit).map((id) => (leasedIds.add(id), createLease(id)))),
      releaseLease: async ({ webhookId }: EndpointLease) => {
        await release(webhookId);
        return new Date(this.now);
      },
      releaseOtherLeases: (_: string, webhookIds: string[]) =>
        release(...[...leasedIds].filter((id) => !webhookIds.includes(id))),
      extendLease: () => Promise.resolve(true),
    };
  }

  private createPendingRows(webhookId: string) {
    return Array.from({ length: 20 }, (_, n) => ({ id: `${webhookId}_${this.now}_${n}` }));
  }

  private async startAttempt(webhookId: string) {
    const attempts = this.openAttempts.get(webhookId) ?? [];
    this.openAttempts.set(webhookId, attempts);
    await new Promise<void>((resolve) => attempts.push(resolve));
    return { exchange: null, isWritten: Promise.resolve(true) };
  }
}

describe('EndpointWorkerScheduler', () => {
  let schedulerFixture: SchedulerFixture;
  beforeAll(() => Logger.overrideLogger(false));
  afterEach(() => schedulerFixture.stop());

  it('leases waiting queues after the time slice of the leased ones', async () => {
    schedulerFixture = await SchedulerFixture.create(CAPACITY + 1);
    const last = `whk_${CAPACITY}`;
    await schedulerFixture.waitUntilSettled();
    expect(schedulerFixture.countAttempts('whk_0')).toBe(10);
    expect(schedulerFixture.countAttempts(last)).toBe(0);

    schedulerFixture.completeAttempts('whk_0');
    await schedulerFixture.waitUntilSettled();
    expect(schedulerFixture.countAttempts('whk_0')).toBe(10);
    expect(schedulerFixture.countAttempts(last)).toBe(0);

    schedulerFixture.now = QUANTUM_MS;
    await schedulerFixture.waitUntilSettled();
    schedulerFixture.completeAttempts('whk_0');
    await schedulerFixture.waitUntilSettled();
    expect(schedulerFixture.countAttempts('whk_0')).toBe(0);
    expect(schedulerFixture.countAttempts(last)).toBe(10);
    expect(schedulerFixture.dueIds).toEqual(['whk_0']);
    // 500 workers take seconds on a busy machine.
  }, 60_000);

  it('releases a queue immediately when reading it fails, and leases it again', async () => {
    let failures = 1;
    schedulerFixture = await SchedulerFixture.create(1, {
      findDueDeliveries: () =>
        failures-- > 0 ? Promise.reject(new Error('no database')) : Promise.resolve([{ id: 'dlv' }]),
    });
    await schedulerFixture.waitUntilSettled();
    expect(schedulerFixture.countAttempts('whk_0')).toBe(0);
    expect(schedulerFixture.dueIds).toEqual(['whk_0']);
    await schedulerFixture.waitUntilSettled();
    expect(schedulerFixture.countAttempts('whk_0')).toBe(1);
  });

  it('releases the queue of a failed worker as soon as the database is available again', async () => {
    let isAvailable = false;
    const failWhileUnavailable = () => {
      if (!isAvailable) throw new DatabaseConnectionError(new Error('no database'));
    };
    schedulerFixture = await SchedulerFixture.create(1, {
      findDueDeliveries: async () => {
        await soon();
        failWhileUnavailable();
        return [{ id: 'dlv' }];
      },
      onRelease: failWhileUnavailable,
    });
    for (let n = 0; n < 3; n++) await schedulerFixture.waitUntilSettled();
    expect(schedulerFixture.countAttempts('whk_0')).toBe(0);
    isAvailable = true;
    for (let n = 0; n < 3; n++) await schedulerFixture.waitUntilSettled();
    expect(schedulerFixture.countAttempts('whk_0')).toBe(1);
  });
});
