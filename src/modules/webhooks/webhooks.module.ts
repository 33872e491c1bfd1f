import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../access/audit';
import { EventsModule } from '../../core/events';
import { MetricsModule } from '../../core/metrics';
import { AccountsModule } from '../accounts';
import { DAY } from '../../common/clock';
import { EventAccessModule } from '../event-access';
import { DeveloperAppsModule } from '../developer-apps';
import { IdempotencyModule } from '../../access/idempotency';
import { InstancesModule } from '../../core/instances';
import { Config } from '../../core/config';
import { RetentionService } from '../../core/database';
import { AttemptEntity } from './deliveries/attempt.entity';
import { AttemptPartitionService } from './deliveries/attempt-partition.service';
import { AttemptsRepository } from './deliveries/attempts.repository';
import { DeliveriesRepository } from './deliveries/deliveries.repository';
import { DeliveriesService } from './deliveries/deliveries.service';
import { DeliveryAdminRepository } from './deliveries/delivery-admin.repository';
import { DeliveryAdminService } from './deliveries/delivery-admin.service';
import { DeliveryEntity } from './deliveries/delivery.entity';
import { DeviceWebhooksController } from './deliveries/device-webhooks.controller';
import { DeletedWebhookCleanup } from './deliveries/deleted-webhook-cleanup';
import { EndpointWorkerScheduler } from './dispatch/endpoint-worker-scheduler';
import { EndpointReader } from './dispatch/endpoint-reader';
import { EventBacklogRepository } from './dispatch/event-backlog.repository';
import { EventBacklogService } from './dispatch/event-backlog.service';
import { WebhookDispatcher } from './dispatch/webhook-dispatcher';
import { FanOutWorker } from './dispatch/fan-out-worker';
import { AttemptResultWriter } from './dispatch/attempt-result-writer';
import { EndpointQueueEntity } from './dispatch/endpoint-queue.entity';
import { EndpointQueuesRepository } from './dispatch/endpoint-queues.repository';
import { PendingDeliveriesRepository } from './dispatch/pending-deliveries.repository';
import { RetryPolicy } from './dispatch/retry-policy';
import { QueueReconciler } from './dispatch/queue-reconciler';
import { AttemptRunner } from './dispatch/attempt-runner';
import { SubscriptionAccessResolver } from './dispatch/subscription-access-resolver';
import { WebhookBacklogMetrics } from './dispatch/webhook-backlog-metrics';
import { WebhookBacklogRepository } from './dispatch/webhook-backlog.repository';
import { WebhookDisabler } from './dispatch/webhook-disabler';
import { WebhookMetrics } from './dispatch/webhook-metrics';
import { WebhookSendingModule } from '../webhook-sending';
import { SecretReencryptionService } from './subscriptions/secret-reencryption.service';
import { SigningSecretCipher } from './subscriptions/signing-secret-cipher';
import { WebhookControlService } from './subscriptions/webhook-control.service';
import { WebhookEntity } from './subscriptions/webhook.entity';
import { WebhooksController } from './subscriptions/webhooks.controller';
import { WebhooksRepository } from './subscriptions/webhooks.repository';
import { WebhooksService } from './subscriptions/webhooks.service';

/** Delivers account events as signed requests to the URLs that subscribe to them. */
@Module({
  imports: [
    AccountsModule,
    AuditModule,
    DeveloperAppsModule,
    EventAccessModule,
    EventsModule,
    IdempotencyModule,
    InstancesModule,
    MetricsModule,
    WebhookSendingModule,
    TypeOrmModule.forFeature([AttemptEntity, DeliveryEntity, EndpointQueueEntity, WebhookEntity]),
  ],
  controllers: [WebhooksController, DeviceWebhooksController],
  providers: [
    AttemptPartitionService,
    AttemptsRepository,
    DeliveriesRepository,
    DeliveriesService,
    DeliveryAdminRepository,
    DeliveryAdminService,
    EndpointWorkerScheduler,
    EndpointReader,
    EventBacklogRepository,
    EventBacklogService,
    WebhookDispatcher,
    FanOutWorker,
    AttemptResultWriter,
    EndpointQueuesRepository,
    PendingDeliveriesRepository,
    DeletedWebhookCleanup,
    RetryPolicy,
    SecretReencryptionService,
    SigningSecretCipher,
    QueueReconciler,
    AttemptRunner,
    SubscriptionAccessResolver,
    WebhookBacklogMetrics,
    WebhookBacklogRepository,
    WebhookControlService,
    WebhookDisabler,
    WebhookMetrics,
    WebhooksRepository,
    WebhooksService,
  ],
  exports: [DeliveriesService, DeliveryAdminService, SecretReencryptionService, WebhookControlService, WebhooksService],
})
export class WebhooksModule {
  constructor(retentionService: RetentionService, config: Config) {
    const retentionMs = config.retentionDays.deliveries * DAY;
    retentionService.registerRules(
      { table: 'webhook_deliveries', column: 'created_at', retentionMs, id: { column: 'id', prefix: 'dlv' } },
      { table: 'webhook_backlog_batches', column: 'created_at', retentionMs, id: { column: 'id', prefix: 'evt' } },
    );
  }
}
