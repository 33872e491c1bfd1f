import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../../core/events';
import { AccountsModule } from '../accounts';
import { SessionsModule } from '../sessions';
import { TurnsModule } from '../turns';
import { AppendMessagesService } from './append-messages.service';
import { DeviceMessagesController } from './device-messages.controller';
import { MessageEntity } from './message.entity';
import { MessagesController } from './messages.controller';
import { MessagesRepository } from './messages.repository';
import { MessagesService } from './messages.service';

@Module({
  imports: [AccountsModule, EventsModule, SessionsModule, TurnsModule, TypeOrmModule.forFeature([MessageEntity])],
  controllers: [MessagesController, DeviceMessagesController],
  providers: [AppendMessagesService, MessagesRepository, MessagesService],
  exports: [MessagesService],
})
export class MessagesModule {}
