import { Module } from '@nestjs/common';
import { ArtifactsModule } from '../artifacts';
import { SessionsModule } from '../sessions';
import { EventPayloadService } from './event-payload.service';

/** Decides which events a recipient may see, and what of them. Webhooks and event streams use it. */
@Module({
  imports: [ArtifactsModule, SessionsModule],
  providers: [EventPayloadService],
  exports: [EventPayloadService],
})
export class EventAccessModule {}
