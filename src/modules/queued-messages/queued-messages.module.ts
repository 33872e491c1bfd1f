import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyModule } from '../../access/idempotency';
import { DAY } from '../../common/clock';
import { Config } from '../../core/config';
import { RetentionService } from '../../core/database';
import { EventsModule } from '../../core/events';
import { InstancesModule } from '../../core/instances';
import { MetricsModule } from '../../core/metrics';
import { AccountsModule } from '../accounts';
import { SessionsModule } from '../sessions';
import { DeliveryRightsRepository } from './delivery-rights.repository';
import { QueueDispatchRepository } from './queue-dispatch.repository';
import { QueueMessageService } from './queue-message.service';
import { QueuedMessageDeliveriesService } from './queued-message-deliveries.service';
import { QueuedMessageEnder } from './queued-message-ender';
import { QueuedMessageEntity } from './queued-message.entity';
import { ControlQueuedMessagesController, QueuedMessagesController } from './queued-messages.controller';
import { QueuedMessagesRepository } from './queued-messages.repository';
import { QueuedMessagesService } from './queued-messages.service';
import { QueuedTextCipher } from './queued-text-cipher';

/** Messages that wait for delivery. The relay module sends them. */
@Module({
  imports: [
    AccountsModule,
    EventsModule,
    IdempotencyModule,
    InstancesModule,
    MetricsModule,
    SessionsModule,
    TypeOrmModule.forFeature([QueuedMessageEntity]),
  ],
  controllers: [QueuedMessagesController, ControlQueuedMessagesController],
  providers: [
    DeliveryRightsRepository,
    QueueDispatchRepository,
    QueueMessageService,
    QueuedMessageDeliveriesService,
    QueuedMessageEnder,
    QueuedMessagesRepository,
    QueuedMessagesService,
    QueuedTextCipher,
  ],
  exports: [QueueMessageService, QueuedMessageDeliveriesService],
})
export class QueuedMessagesModule {
  constructor(retentionService: RetentionService, config: Config) {
    retentionService.registerRules({
      table: 'queued_messages',
      column: 'ended_at',
      retentionMs: config.retentionDays.queuedMessages * DAY,
    });
  }
}
