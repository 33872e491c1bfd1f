import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { ArtifactsModule } from '../artifacts';
import { DAY } from '../common/clock';
import { DeveloperAppsModule } from '../developer-apps';
import { IdempotencyModule } from '../idempotency';
import { InstancesModule } from '../instances';
import { Retention } from '../persistence';
import { SessionsModule } from '../sessions';
import { AttemptEntity } from './deliveries/attempt.entity';
import { AttemptPartitions } from './deliveries/attempt-partitions';
import { AttemptsRepository } from './deliveries/attempts.repository';
import { DeliveriesRepository } from './deliveries/deliveries.repository';
import { DeliveriesService } from './deliveries/deliveries.service';
import { DeliveryEntity } from './deliveries/delivery.entity';
import { DeviceWebhooksController } from './deliveries/device-webhooks.controller';
import { Remains } from './deliveries/remains';
import { Dispatcher } from './engine/dispatcher';
import { Endpoints } from './engine/endpoints';
import { Engine } from './engine/engine';
import { FanOut } from './engine/fan-out';
import { Finisher } from './engine/finisher';
import { LaneEntity } from './engine/lane.entity';
import { LanesRepository } from './engine/lanes.repository';
import { QueueRepository } from './engine/queue.repository';
import { RetryPolicy } from './engine/retry-policy';
import { Sweep } from './engine/sweep';
import { Tries } from './engine/tries';
import { Viewers } from './engine/viewers';
import { WebhookMetrics } from './engine/webhook-metrics';
import { AddressRules } from './sending/address-rules';
import { GuardedAgent } from './sending/guarded-agent';
import { Names } from './sending/names';
import { Sender } from './sending/sender';
import { TargetUrls } from './sending/target-url';
import { SecretVault } from './subscriptions/secret-vault';
import { WebhookControl } from './subscriptions/webhook-control.service';
import { WebhookEntity } from './subscriptions/webhook.entity';
import { WebhooksController } from './subscriptions/webhooks.controller';
import { WebhooksExport } from './subscriptions/webhooks-export';
import { WebhooksRepository } from './subscriptions/webhooks.repository';
import { WebhooksService } from './subscriptions/webhooks.service';

/** Events of an account, as signed deliveries to the URLs that subscribe to them. */
@Module({
  imports: [
    AccountsModule,
    ArtifactsModule,
    DeveloperAppsModule,
    IdempotencyModule,
    InstancesModule,
    SessionsModule,
    TypeOrmModule.forFeature([AttemptEntity, DeliveryEntity, LaneEntity, WebhookEntity]),
  ],
  controllers: [WebhooksController, DeviceWebhooksController],
  providers: [
    AddressRules,
    AttemptPartitions,
    AttemptsRepository,
    DeliveriesRepository,
    DeliveriesService,
    Dispatcher,
    Endpoints,
    Engine,
    FanOut,
    Finisher,
    GuardedAgent,
    LanesRepository,
    Names,
    QueueRepository,
    Remains,
    RetryPolicy,
    SecretVault,
    Sender,
    Sweep,
    TargetUrls,
    Tries,
    Viewers,
    WebhookControl,
    WebhookMetrics,
    WebhooksExport,
    WebhooksRepository,
    WebhooksService,
  ],
  exports: [DeliveriesService, WebhookControl, WebhooksService],
})
export class WebhooksModule {
  constructor(retention: Retention) {
    retention.register({ table: 'webhook_deliveries', column: 'created_at', keepMs: 30 * DAY });
  }
}
