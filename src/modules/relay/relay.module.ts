import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../../access/auth';
import { RateLimitModule } from '../../access/rate-limiting';
import { EventsModule } from '../../core/events';
import { MetricsModule } from '../../core/metrics';
import { AccountsModule } from '../accounts';
import { ArtifactsModule } from '../artifacts';
import { DAY } from '../../common/clock';
import { Config } from '../../core/config';
import { DevicesModule } from '../devices';
import { IdempotencyModule } from '../../access/idempotency';
import { MachinesModule } from '../machines';
import { InvocationsModule } from '../invocations';
import { PermissionRequestsModule } from '../permission-requests';
import { QueuedMessagesModule } from '../queued-messages';
import { RedisModule } from '../../core/redis';
import { RetentionService } from '../../core/database';
import { SessionsModule } from '../sessions';
import { TurnsModule } from '../turns';
import { OrphanedCallRecorder } from './audit/orphaned-call-recorder';
import { RelayActivityService } from './audit/relay-activity.service';
import { RelayAuditWriter } from './audit/relay-audit-writer';
import { RelayCallEntity } from './audit/relay-call.entity';
import { RelayCallsController } from './audit/relay-calls.controller';
import { RelayCallsRepository } from './audit/relay-calls.repository';
import { RelayBusModule } from '../relay-bus';
import { AttachmentsService } from './calls/attachments.service';
import { CallHookRegistry } from './calls/call-hook-registry';
import { CallRouteResolver } from './calls/call-route-resolver';
import { DecisionRecorder } from './calls/decision-recorder';
import { MessageTextService } from './calls/message-text.service';
import { IdempotentRelayCallsService } from './calls/idempotent-relay-calls.service';
import {
  ControlPermissionDecisionController,
  PermissionDecisionController,
} from './calls/permission-decision.controller';
import { ControlRelayController, RelayController } from './calls/relay.controller';
import { AgentSessionsController, ControlAgentSessionsController } from './calls/agent-sessions.controller';
import { AgentCallsController, ControlAgentCallsController } from './calls/agent-calls.controller';
import { ControlInvocationCallsController, InvocationCallsController } from './calls/invocation-calls.controller';
import { InvocationRecorder } from './calls/invocation-recorder';
import { RelayService } from './calls/relay.service';
import { ControlSessionOptionsController, SessionOptionsController } from './calls/session-options.controller';
import { StartCapabilitiesService } from './calls/start-capabilities.service';
import { StartGrantsService } from './calls/start-grants.service';
import { TurnEndRecorder } from './calls/turn-end-recorder';
import { TurnStartRecorder } from './calls/turn-start-recorder';
import { DeviceGatewayModule } from '../device-gateway';
import { LiveOutputService } from './live/live-output.service';
import { QueuedMessageDispatcher } from './queue/queued-message-dispatcher';
import { QueuedMessageSender } from './queue/queued-message-sender';
import { RelayMetrics } from './relay-metrics';

/** Relays API calls to devices and returns their answers. */
@Module({
  imports: [
    AccountsModule,
    ArtifactsModule,
    AuthModule,
    DeviceGatewayModule,
    DevicesModule,
    EventsModule,
    IdempotencyModule,
    InvocationsModule,
    MachinesModule,
    MetricsModule,
    PermissionRequestsModule,
    QueuedMessagesModule,
    RateLimitModule,
    RedisModule,
    RelayBusModule,
    SessionsModule,
    TurnsModule,
    TypeOrmModule.forFeature([RelayCallEntity]),
  ],
  controllers: [
    RelayController,
    ControlRelayController,
    AgentCallsController,
    ControlAgentCallsController,
    AgentSessionsController,
    ControlAgentSessionsController,
    InvocationCallsController,
    ControlInvocationCallsController,
    PermissionDecisionController,
    ControlPermissionDecisionController,
    SessionOptionsController,
    ControlSessionOptionsController,
    RelayCallsController,
  ],
  providers: [
    AttachmentsService,
    CallHookRegistry,
    CallRouteResolver,
    DecisionRecorder,
    IdempotentRelayCallsService,
    InvocationRecorder,
    LiveOutputService,
    MessageTextService,
    OrphanedCallRecorder,
    QueuedMessageDispatcher,
    QueuedMessageSender,
    RelayActivityService,
    RelayAuditWriter,
    RelayCallsRepository,
    RelayMetrics,
    RelayService,
    StartCapabilitiesService,
    StartGrantsService,
    TurnEndRecorder,
    TurnStartRecorder,
  ],
  exports: [LiveOutputService, RelayActivityService],
})
export class RelayModule {
  constructor(retentionService: RetentionService, config: Config) {
    retentionService.registerRules({
      table: 'relay_calls',
      column: 'created_at',
      retentionMs: config.retentionDays.relayCalls * DAY,
    });
  }
}
