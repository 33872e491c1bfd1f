import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { Clock, MINUTE } from '../../../common/clock';
import { PeriodicTask } from '../../../common/periodic-task';
import { Config } from '../../../core/config';
import { UnitOfWork } from '../../../core/database';
import { WebhookBacklogRepository, type WebhookBacklog } from './webhook-backlog.repository';

const GAUGES: [keyof WebhookBacklog, name: string, help: string][] = [
  ['outboxEvents', 'webhook_outbox_events', 'Events that wait for the creation of their deliveries, at most 100,000'],
  ['outboxOldestSeconds', 'webhook_outbox_oldest_seconds', 'Age of the oldest of these events'],
  ['pendingDeliveries', 'webhook_pending_deliveries', 'Deliveries that wait for an attempt, at most 100,000'],
  ['oldestDueSeconds', 'webhook_oldest_due_seconds', 'Time since the earliest due attempt should have started'],
  ['oldestTransactionSeconds', 'database_oldest_transaction_seconds', 'Age of the oldest transaction of the database'],
];

/**
 * Measures the backlog of webhooks once a minute, if metrics are exported. The gauges describe the database, so that
 * instances agree on them: aggregate by `max`. An instance exports none while it cannot measure, instead of old values.
 */
@Injectable()
export class WebhookBacklogMetrics implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly measurement = new PeriodicTask('webhook backlog measurement', MINUTE, () => this.measureBacklog());
  private backlog: WebhookBacklog | null = null;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly backlogRepository: WebhookBacklogRepository,
    private readonly clock: Clock,
    private readonly config: Config,
    registry: Registry,
  ) {
    // Gauges without labels would start at 0, which would hide a backlog that nobody has measured.
    const readBacklog = () => this.backlog;
    for (const [key, name, help] of GAUGES) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.remove();
          const backlog = readBacklog();
          if (backlog) this.set(backlog[key]);
        },
      });
    }
  }

  onApplicationBootstrap(): void {
    if (this.config.metricsPort === null) return;
    this.measurement.start();
    this.measurement.trigger();
  }

  onApplicationShutdown(): Promise<void> {
    return this.measurement.stop();
  }

  async measureBacklog(): Promise<void> {
    this.backlog = await this.unitOfWork
      .runInTransaction(() => this.backlogRepository.measureExclusively(new Date(this.clock.now())))
      .catch((error: unknown) => {
        this.backlog = null;
        throw error;
      });
  }
}
