import { Injectable, Logger } from '@nestjs/common';
import { Clock, SECOND } from '../../../common/clock';
import { PeriodicTask } from '../../../common/periodic-task';
import { ReadOnlyState } from '../../../common/read-only-state';
import { Config } from '../../../core/config';
import { InstanceRegistry } from '../../../core/instances';
import { isDatabaseUnavailable, QueueScan } from '../../../core/database';
import { EndpointReader } from './endpoint-reader';
import { EventBacklogService } from './event-backlog.service';
import { EndpointWorker, type EndpointWorkerDependencies } from './endpoint-worker';
import { EndpointQueuesRepository, type EndpointLease } from './endpoint-queues.repository';
import { PendingDeliveriesRepository } from './pending-deliveries.repository';
import { AttemptRunner } from './attempt-runner';
import { WebhookMetrics } from './webhook-metrics';

const LEASE_INTERVAL_MS = 500;
/** Queues leased at once. A hanging endpoint occupies one for as long as its attempts hang. */
const MAX_LEASED_QUEUES = 500;
/** How long a queue stays leased while others wait for a free slot, in ms. */
const LEASE_QUANTUM_MS = 5 * SECOND;

interface ActiveWorker {
  worker: EndpointWorker;
  /** Time on the monotonic clock. */
  startedAt: number;
  completion: Promise<void>;
}

/** Leases due endpoint queues, runs a worker for each, and releases idle queues. */
@Injectable()
export class EndpointWorkerScheduler {
  private readonly logger = new Logger('Webhooks');
  private readonly activeWorkers = new Map<string, ActiveWorker>();
  private readonly leaseTask = new PeriodicTask('webhook endpoint queues', LEASE_INTERVAL_MS, () => this.leaseQueues());
  private readonly workerDependencies: EndpointWorkerDependencies;
  /** Positions are due times. */
  private readonly dueScan: QueueScan;
  /** Whether the database was unavailable for a lease or a release, so that this instance may hold unused leases. */
  private hasUnusedLeases = false;
  private isStarted = false;
  private isStopped = false;

  constructor(
    private readonly instanceRegistry: InstanceRegistry,
    private readonly endpointQueues: EndpointQueuesRepository,
    pendingDeliveries: PendingDeliveriesRepository,
    endpointReader: EndpointReader,
    attemptRunner: AttemptRunner,
    eventBacklog: EventBacklogService,
    private readonly metrics: WebhookMetrics,
    private readonly clock: Clock,
    private readonly readOnlyState: ReadOnlyState,
    config: Config,
  ) {
    this.workerDependencies = {
      endpointQueues,
      pendingDeliveries,
      endpointReader,
      attemptRunner,
      eventBacklog,
      clock,
      config,
    };
    this.dueScan = new QueueScan(clock);
  }

  /** Before it, queues are left to other processes: a program that replays deliveries sends none itself. */
  start(): void {
    this.isStarted = true;
    this.leaseTask.start();
  }

  /** Notifies the workers of these webhooks of deliveries that have been committed, with the earliest due times. */
  triggerWorkers(dueTimes: ReadonlyMap<string, Date>): void {
    for (const dueAt of dueTimes.values()) this.dueScan.include(dueAt.getTime());
    this.refreshWorkers(dueTimes.keys());
  }

  /** Notifies the worker of a webhook of a change that has been committed. Its queue may be due since any time. */
  triggerWorker(webhookId: string): void {
    this.dueScan.includeAll();
    this.refreshWorkers([webhookId]);
  }

  /** Stops leasing queues and starting attempts, and waits for attempts in flight. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const { worker } of this.activeWorkers.values()) worker.requestStop();
    await this.leaseTask.stop();
    await Promise.all([...this.activeWorkers.values()].map(({ completion }) => completion));
    await this.releaseUnusedLeases().catch(() => undefined);
  }

  private refreshWorkers(webhookIds: Iterable<string>): void {
    for (const id of webhookIds) this.activeWorkers.get(id)?.worker.triggerRefresh();
    if (this.isStarted) this.leaseTask.trigger();
  }

  private async leaseQueues(): Promise<boolean> {
    await this.releaseUnusedLeases();
    if (this.readOnlyState.isReadOnly) {
      // Attempts in flight finish.
      for (const { worker } of this.activeWorkers.values()) worker.requestStop();
      return false;
    }
    const freeSlots = MAX_LEASED_QUEUES - this.activeWorkers.size;
    if (freeSlots <= 0) {
      this.stopLongRunningWorkers();
      return false;
    }
    const leasedAt = this.clock.monotonicMs();
    const now = this.clock.currentDate();
    const scan = this.dueScan.start(now.getTime());
    const owner = this.instanceRegistry.ownInstanceId;
    const leases = await this.endpointQueues
      .leaseDueQueues(owner, scan.from, now, freeSlots)
      .catch((error: unknown) => this.rethrowLeaseError(error));
    // Queues that found no free slot are due in the next scan, too.
    scan.complete(leases.length < freeSlots ? now.getTime() : scan.from);
    for (const lease of leases) {
      const worker = new EndpointWorker(lease, leasedAt, this.workerDependencies);
      if (this.isStopped) worker.requestStop();
      this.activeWorkers.set(lease.webhookId, {
        worker,
        startedAt: leasedAt,
        completion: this.runWorker(lease, worker),
      });
    }
    this.metrics.recordLeasedQueues(this.activeWorkers.size);
    return false;
  }

  private async runWorker(endpointLease: EndpointLease, worker: EndpointWorker): Promise<void> {
    const isDue = await this.runWorkerAndRelease(endpointLease, worker);
    const wasAtCapacity = this.activeWorkers.size >= MAX_LEASED_QUEUES;
    // The queue may have been leased again in the meantime.
    if (this.activeWorkers.get(endpointLease.webhookId)?.worker === worker)
      this.activeWorkers.delete(endpointLease.webhookId);
    this.metrics.recordLeasedQueues(this.activeWorkers.size);
    if (isDue || wasAtCapacity) this.leaseTask.trigger();
  }

  /** Returns whether the queue is due again. */
  private async runWorkerAndRelease(endpointLease: EndpointLease, worker: EndpointWorker): Promise<boolean> {
    try {
      await worker.runUntilIdle();
      return await this.releaseQueue(endpointLease);
    } catch (error) {
      this.logger.warn(
        { webhookId: endpointLease.webhookId, reason: (error as Error).message },
        'endpoint worker failed; lease released',
      );
      await this.releaseQueue(endpointLease).catch((releaseError: unknown) => {
        this.hasUnusedLeases ||= isDatabaseUnavailable(releaseError);
      });
      return false;
    }
  }

  /** The leases may have been committed, although the response was lost. */
  private rethrowLeaseError(error: unknown): never {
    this.hasUnusedLeases ||= isDatabaseUnavailable(error);
    throw error;
  }

  /**
   * Releases the leases of queues without a worker, after an outage of the database. Until they expired, no instance
   * would send the deliveries.
   */
  private async releaseUnusedLeases(): Promise<void> {
    if (!this.hasUnusedLeases) return;
    const { ownInstanceId } = this.instanceRegistry;
    this.hasUnusedLeases = false;
    await this.endpointQueues
      .releaseOtherLeases(ownInstanceId, [...this.activeWorkers.keys()])
      .catch((error: unknown) => this.rethrowLeaseError(error));
    this.dueScan.includeAll();
  }

  /** Stops the workers that have run longest, so that their queues wait behind the others. */
  private stopLongRunningWorkers(): void {
    const startedBefore = this.clock.monotonicMs() - LEASE_QUANTUM_MS;
    for (const activeWorker of this.activeWorkers.values())
      if (activeWorker.startedAt <= startedBefore) activeWorker.worker.requestStop();
  }

  /** Releases the lease. Returns true when the queue is due. */
  private async releaseQueue(endpointLease: EndpointLease): Promise<boolean> {
    const dueAt = await this.endpointQueues.releaseLease(endpointLease);
    if (dueAt === null) return false;
    this.dueScan.include(dueAt.getTime());
    return dueAt.getTime() <= this.clock.now();
  }
}
