import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventPublisher } from './event-publisher';
import { EventLogPartitionService } from './event-log-partition.service';
import { EventOutboxService } from './event-outbox.service';
import { OutboxEntity } from './outbox.entity';
import { OutboxRepository } from './outbox.repository';

@Module({
  imports: [TypeOrmModule.forFeature([OutboxEntity])],
  providers: [EventLogPartitionService, EventPublisher, EventOutboxService, OutboxRepository],
  exports: [EventPublisher, EventOutboxService],
})
export class EventsModule {}
