import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Subscription } from 'rxjs';
import { HOUR, MINUTE, SECOND } from '../../../common/clock';
import { PeriodicTask } from '../../../common/periodic-task';
import { ReadOnlyState } from '../../../common/read-only-state';
import { ShutdownState } from '../../../common/shutdown-state';
import { Config } from '../../../core/config';
import { EventOutboxService } from '../../../core/events';
import { InstanceRegistry } from '../../../core/instances';
import { AttemptPartitionService } from '../deliveries/attempt-partition.service';
import { DeletedWebhookCleanup } from '../deliveries/deleted-webhook-cleanup';
import { EndpointWorkerScheduler } from './endpoint-worker-scheduler';
import { FanOutWorker } from './fan-out-worker';
import { EndpointQueuesRepository } from './endpoint-queues.repository';
import { QueueReconciler } from './queue-reconciler';

/**
 * Starts and stops webhook fan-out, endpoint workers, queue reconciliation, cleanup and partition maintenance. Every
 * instance runs all of them; queue reconciliation is run by one at a time.
 */
@Injectable()
export class WebhookDispatcher implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Webhooks');
  private readonly tasks = {
    fanOut: this.createTask('webhook fan-out', SECOND, () => this.fanOutEvents()),
    queueReconciliation: this.createTask('webhook queue reconciliation', MINUTE, () => this.reconcileQueues()),
    deletedWebhookCleanup: this.createTask('deleted webhook cleanup', MINUTE, () =>
      this.deletedWebhookCleanup.deleteBatch(),
    ),
    partitions: this.createTask('webhook attempt partitions', HOUR, () => this.attemptPartitions.maintainPartitions()),
  };
  private outboxSubscription: Subscription | undefined;
  private pendingStop: Promise<unknown> | undefined;

  constructor(
    private readonly config: Config,
    private readonly eventOutboxService: EventOutboxService,
    private readonly fanOutWorker: FanOutWorker,
    private readonly endpointWorkerScheduler: EndpointWorkerScheduler,
    private readonly queueReconciler: QueueReconciler,
    private readonly deletedWebhookCleanup: DeletedWebhookCleanup,
    private readonly endpointQueues: EndpointQueuesRepository,
    private readonly attemptPartitions: AttemptPartitionService,
    private readonly instanceRegistry: InstanceRegistry,
    private readonly readOnlyState: ReadOnlyState,
    private readonly shutdownState: ShutdownState,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.shutdownState.addBackgroundWork(() => Promise.resolve(this.pendingStop));
    if (this.config.redisUrl === null) await this.endpointQueues.releaseAllLeases();
    await this.preparePartitions();
    this.outboxSubscription = this.eventOutboxService.committedRows.subscribe(() => this.tasks.fanOut.trigger());
    this.endpointWorkerScheduler.start();
    for (const task of Object.values(this.tasks)) task.start();
    this.tasks.partitions.trigger();
  }

  /** Starts stopping early in the shutdown, so that attempts in progress finish while other modules shut down. */
  onModuleDestroy(): void {
    this.outboxSubscription?.unsubscribe();
    this.pendingStop = Promise.all([
      this.endpointWorkerScheduler.stop(),
      ...Object.values(this.tasks).map((task) => task.stop()),
    ]);
  }

  /** Creates a task that pauses in read-only mode. */
  private createTask(name: string, intervalMs: number, runOnce: () => Promise<boolean | void>): PeriodicTask {
    return new PeriodicTask(name, intervalMs, () => (this.readOnlyState.isReadOnly ? undefined : runOnce()));
  }

  /** A failure doesn't prevent startup: missing partitions are created when an attempt is written. */
  private async preparePartitions(): Promise<void> {
    await this.attemptPartitions.ensureUpcomingPartitions().catch((error: Error) => {
      this.logger.warn({ reason: error.message }, 'webhook attempt partition creation failed');
    });
  }

  /** One instance reads all queues for the others: the cost of a run grows with their number. */
  private async reconcileQueues(): Promise<void> {
    if (!(await this.instanceRegistry.claimRun('webhook queue reconciliation', MINUTE))) return;
    while (!this.pendingStop && (await this.queueReconciler.reconcileBatch()));
  }

  private async fanOutEvents(): Promise<boolean> {
    const { dueTimes, hasMore } = await this.fanOutWorker.fanOutBatch();
    if (dueTimes.size > 0) this.endpointWorkerScheduler.triggerWorkers(dueTimes);
    return hasMore;
  }
}
