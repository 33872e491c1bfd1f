import { Module } from '@nestjs/common';
import { AuthModule } from '../../access/auth';
import { EventsModule } from '../../core/events';
import { MetricsModule } from '../../core/metrics';
import { RedisModule } from '../../core/redis';
import { EventAccessModule } from '../event-access';
import { KeyGrantsModule } from '../key-grants';
import { MessagesModule } from '../messages';
import { PermissionRequestsModule } from '../permission-requests';
import { EventContentService } from './event-content.service';
import { EventCursorService } from './event-cursor.service';
import { EventFeedService } from './event-feed.service';
import { EventLogRepository } from './event-log.repository';
import { EventPageWriter } from './event-page-writer';
import { EventStreamRegistry } from './event-stream-registry';
import { EventStreamSupervisor } from './event-stream-supervisor';
import {
  ControlEventsController,
  ControlSessionEventsController,
  EventsController,
  SessionEventsController,
} from './event-streams.controller';
import { EventStreamsService } from './event-streams.service';

/** Streams events to callers that keep a connection open (server-sent events). */
@Module({
  imports: [
    AuthModule,
    EventAccessModule,
    EventsModule,
    KeyGrantsModule,
    MessagesModule,
    MetricsModule,
    PermissionRequestsModule,
    RedisModule,
  ],
  controllers: [EventsController, SessionEventsController, ControlEventsController, ControlSessionEventsController],
  providers: [
    EventContentService,
    EventCursorService,
    EventFeedService,
    EventLogRepository,
    EventPageWriter,
    EventStreamRegistry,
    EventStreamSupervisor,
    EventStreamsService,
  ],
})
export class EventStreamsModule {}
