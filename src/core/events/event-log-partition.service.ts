import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, DAY, HOUR } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { ReadOnlyState } from '../../common/read-only-state';
import { DailyPartitionService, RetentionService, UnitOfWork } from '../database';
import { OutboxRepository } from './outbox.repository';

/**
 * Maintains the daily partitions of the event log. Cursors are valid for 24 hours. Events are kept for an hour more,
 * since those of a long transaction are logged with the time of its start. They are kept longer if they wait for their
 * fan-out, as after an outage of days: nothing else has their payloads.
 */
@Injectable()
export class EventLogPartitionService
  extends DailyPartitionService
  implements OnApplicationBootstrap, OnApplicationShutdown
{
  protected readonly parentTable = 'event_log';
  protected readonly retentionMs = DAY + HOUR;
  private readonly startLogger = new Logger('Events');
  private readonly maintenanceTask = new PeriodicTask('event log partitions', HOUR, () =>
    this.readOnlyState.isReadOnly ? undefined : this.maintainPartitions(),
  );

  constructor(
    unitOfWork: UnitOfWork,
    clock: Clock,
    private readonly retentionService: RetentionService,
    private readonly readOnlyState: ReadOnlyState,
    private readonly outbox: OutboxRepository,
  ) {
    super(unitOfWork, clock);
  }

  /** A failure doesn't prevent startup: events without a partition of their day are in the default one. */
  async onApplicationBootstrap(): Promise<void> {
    const rule = { table: 'event_log_default', column: 'logged_at', retentionMs: this.retentionMs + DAY };
    this.retentionService.registerRules(rule);
    await this.ensureUpcomingPartitions().catch((error: Error) => {
      this.startLogger.warn({ reason: error.message }, 'event log partition creation failed');
    });
    this.maintenanceTask.start();
    this.maintenanceTask.trigger();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.maintenanceTask.stop();
  }

  protected override async findOldestRequiredTime(): Promise<number> {
    return (await this.outbox.findOldestBatchTime())?.getTime() ?? Infinity;
  }
}
