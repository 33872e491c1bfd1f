import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { HOUR } from '../../common/clock';
import { RetentionService } from '../../core/database';
import { EventsModule } from '../../core/events';
import { MetricsModule } from '../../core/metrics';
import { AccountsModule } from '../accounts';
import { DevicesModule } from '../devices';
import { WebhookSendingModule } from '../webhook-sending';
import { PushDispatcher } from './push-dispatcher';
import { PushNoticeRecorder } from './push-notice-recorder';
import { PushNoticesRepository } from './push-notices.repository';
import { PushSender } from './push-sender';
import { PushSubscriptionEntity } from './push-subscription.entity';
import { PushSubscriptionsController } from './push-subscriptions.controller';
import { PushSubscriptionsRepository } from './push-subscriptions.repository';
import { PushSubscriptionsService } from './push-subscriptions.service';
import { PushTargetCipher } from './push-target-cipher';
import { VapidSigner } from './vapid-signer';

/** Notifies browsers of requests and of the ends of turns by Web Push. */
@Module({
  imports: [
    AccountsModule,
    DevicesModule,
    EventsModule,
    MetricsModule,
    WebhookSendingModule,
    TypeOrmModule.forFeature([PushSubscriptionEntity]),
  ],
  controllers: [PushSubscriptionsController],
  providers: [
    PushDispatcher,
    PushNoticeRecorder,
    PushNoticesRepository,
    PushSender,
    PushSubscriptionsRepository,
    PushSubscriptionsService,
    PushTargetCipher,
    VapidSigner,
  ],
})
export class PushSubscriptionsModule {
  constructor(retentionService: RetentionService) {
    retentionService.registerRules({ table: 'push_notices', column: 'expires_at', retentionMs: HOUR });
  }
}
