import { Module } from '@nestjs/common';
import { AuthModule } from '../../access/auth';
import { EventsModule } from '../../core/events';
import { MetricsModule } from '../../core/metrics';
import { RedisModule } from '../../core/redis';
import { EventAccessModule } from '../event-access';
import { InvocationsModule } from '../invocations';
import { KeyGrantsModule } from '../key-grants';
import { MessagesModule } from '../messages';
import { PermissionRequestsModule } from '../permission-requests';
import { RelayModule } from '../relay';
import { SessionsModule } from '../sessions';
import { DeltaFeedService } from './delta-feed.service';
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
import { InvocationFeedService } from './invocation-feed.service';
import { ControlInvocationStreamsController, InvocationStreamsController } from './invocation-streams.controller';
import { LiveEventMetrics } from './live-event-metrics';
import { StreamOpeningService } from './stream-opening.service';

/** Streams events to callers that keep a connection open (server-sent events). */
@Module({
  imports: [
    AuthModule,
    EventAccessModule,
    EventsModule,
    InvocationsModule,
    KeyGrantsModule,
    MessagesModule,
    MetricsModule,
    PermissionRequestsModule,
    RedisModule,
    RelayModule,
    SessionsModule,
  ],
  controllers: [
    EventsController,
    SessionEventsController,
    InvocationStreamsController,
    ControlEventsController,
    ControlSessionEventsController,
    ControlInvocationStreamsController,
  ],
  providers: [
    DeltaFeedService,
    EventContentService,
    EventCursorService,
    EventFeedService,
    EventLogRepository,
    EventPageWriter,
    EventStreamRegistry,
    EventStreamSupervisor,
    EventStreamsService,
    InvocationFeedService,
    LiveEventMetrics,
    StreamOpeningService,
  ],
})
export class EventStreamsModule {}
