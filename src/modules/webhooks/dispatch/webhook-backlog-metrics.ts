import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Clock } from '../../../common/clock';
import { Config } from '../../../core/config';
import { UnitOfWork } from '../../../core/database';
import { DatabaseGauges } from '../../../core/metrics';
import { WebhookBacklogRepository, type WebhookBacklog } from './webhook-backlog.repository';

const GAUGES: [keyof WebhookBacklog, name: string, help: string][] = [
  ['outboxEvents', 'webhook_outbox_events', 'Events that wait for the creation of their deliveries, at most 100,000'],
  ['outboxOldestSeconds', 'webhook_outbox_oldest_seconds', 'Age of the oldest of these events'],
  ['pendingDeliveries', 'webhook_pending_deliveries', 'Deliveries that wait for an attempt, at most 100,000'],
  ['oldestDueSeconds', 'webhook_oldest_due_seconds', 'Time since the earliest due attempt should have started'],
  ['oldestTransactionSeconds', 'database_oldest_transaction_seconds', 'Age of the oldest transaction of the database'],
];

/** Measures the backlog of webhooks. */
@Injectable()
export class WebhookBacklogMetrics extends DatabaseGauges<WebhookBacklog> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly backlogRepository: WebhookBacklogRepository,
    private readonly clock: Clock,
    config: Config,
    registry: Registry,
  ) {
    super('webhook backlog measurement', GAUGES, config, registry);
  }

  protected measureValues(): Promise<WebhookBacklog | null> {
    return this.unitOfWork.runInTransaction(() =>
      this.backlogRepository.measureExclusively(new Date(this.clock.now())),
    );
  }
}
