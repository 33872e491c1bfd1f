import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Changes } from './changes';
import { Outbox } from './outbox';
import { OutboxEntity } from './outbox.entity';
import { OutboxRepository } from './outbox.repository';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([OutboxEntity])],
  providers: [Changes, Outbox, OutboxRepository],
  exports: [Changes, Outbox],
})
export class EventsModule {}
