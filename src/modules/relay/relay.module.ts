import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../../access/auth';
import { RateLimitModule } from '../../access/rate-limiting';
import { EventsModule } from '../../core/events';
import { MetricsModule } from '../../core/metrics';
import { AccountsModule } from '../accounts';
import { Clock, DAY } from '../../common/clock';
import { Config, DerivedKeyProvider } from '../../core/config';
import { DevicesModule } from '../devices';
import { IdempotencyModule } from '../../access/idempotency';
import { InstanceRegistry, InstancesModule } from '../../core/instances';
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
import { DeviceCallLimiter } from './bus/device-call-limiter';
import { LocalBus } from './bus/local-bus';
import { BusMetrics } from './bus/redis/bus-metrics';
import { RedisBus } from './bus/redis/redis-bus';
import { RelayBus } from './bus/relay-bus';
import { RelayCluster } from './bus/relay-cluster';
import { CallRouteResolver } from './calls/call-route-resolver';
import { DecisionRecorder } from './calls/decision-recorder';
import { MessageTextService } from './calls/message-text.service';
import { IdempotentRelayCallsService } from './calls/idempotent-relay-calls.service';
import {
  ControlPermissionDecisionController,
  PermissionDecisionController,
} from './calls/permission-decision.controller';
import { ControlRelayController, RelayController } from './calls/relay.controller';
import { AgentCallsController, ControlAgentCallsController } from './calls/agent-calls.controller';
import { ControlInvocationCallsController, InvocationCallsController } from './calls/invocation-calls.controller';
import { InvocationRecorder } from './calls/invocation-recorder';
import { RelayService } from './calls/relay.service';
import { DeviceWatchService } from './live/device-watch.service';
import { LiveOutputMetrics } from './live/live-output-metrics';
import { LiveOutputReceiver } from './live/live-output-receiver';
import { LiveOutputService } from './live/live-output.service';
import { WatchLeaseRegistry } from './live/watch-lease-registry';
import { GracefulShutdownService } from './graceful-shutdown.service';
import { ByteBudgetRegistry } from './gateway/byte-budget-registry';
import { ClientAddressResolver } from './gateway/client-address-resolver';
import { CredentialMonitor } from './gateway/credential-monitor';
import { DeviceGateway } from './gateway/device.gateway';
import { HandshakeService } from './gateway/handshake.service';
import { PresenceRepository } from './gateway/presence.repository';
import { PreviousReleasePresenceRepository } from './gateway/previous-release-presence.repository';
import { PresenceRecorder } from './gateway/presence-recorder';
import { PresenceCleanup } from './gateway/presence-cleanup';
import { RevocationsRepository } from './gateway/revocations.repository';
import { SharedRevocationsService } from './gateway/shared-revocations.service';
import { SocketGuard } from './gateway/socket-guard';
import { SocketMetrics } from './gateway/socket-metrics';
import { SyncNotificationPublisher } from './gateway/sync-notification-publisher';
import { UnjoinedSocketLimiter } from './gateway/unjoined-socket-limiter';
import { QueuedMessageDispatcher } from './queue/queued-message-dispatcher';
import { QueuedMessageSender } from './queue/queued-message-sender';
import { RelayMetrics } from './relay-metrics';

/** Relays API calls to devices and returns their answers. */
@Module({
  imports: [
    AccountsModule,
    AuthModule,
    DevicesModule,
    EventsModule,
    IdempotencyModule,
    InstancesModule,
    InvocationsModule,
    MachinesModule,
    MetricsModule,
    PermissionRequestsModule,
    QueuedMessagesModule,
    RateLimitModule,
    RedisModule,
    SessionsModule,
    TurnsModule,
    TypeOrmModule.forFeature([RelayCallEntity]),
  ],
  controllers: [
    RelayController,
    ControlRelayController,
    AgentCallsController,
    ControlAgentCallsController,
    InvocationCallsController,
    ControlInvocationCallsController,
    PermissionDecisionController,
    ControlPermissionDecisionController,
    RelayCallsController,
  ],
  providers: [
    BusMetrics,
    ByteBudgetRegistry,
    CallRouteResolver,
    SyncNotificationPublisher,
    ClientAddressResolver,
    CredentialMonitor,
    DecisionRecorder,
    DeviceGateway,
    DeviceCallLimiter,
    DeviceWatchService,
    GracefulShutdownService,
    HandshakeService,
    IdempotentRelayCallsService,
    InvocationRecorder,
    LiveOutputMetrics,
    LiveOutputReceiver,
    LiveOutputService,
    MessageTextService,
    OrphanedCallRecorder,
    PresenceRepository,
    PreviousReleasePresenceRepository,
    PresenceRecorder,
    PresenceCleanup,
    QueuedMessageDispatcher,
    QueuedMessageSender,
    RelayActivityService,
    RelayAuditWriter,
    RelayCallsRepository,
    RelayMetrics,
    RelayService,
    RevocationsRepository,
    SharedRevocationsService,
    SocketGuard,
    SocketMetrics,
    UnjoinedSocketLimiter,
    WatchLeaseRegistry,
    {
      provide: RelayBus,
      inject: [Config, Clock, InstanceRegistry, BusMetrics, DerivedKeyProvider],
      useFactory: (
        config: Config,
        clock: Clock,
        { ownInstanceId }: InstanceRegistry,
        metrics: BusMetrics,
        derivedKeyProvider: DerivedKeyProvider,
      ) => {
        const { redisUrl, unsignedBusMessages: unsigned } = config;
        if (!redisUrl) return new LocalBus(clock);
        return new RedisBus(redisUrl, ownInstanceId, metrics, {
          keys: derivedKeyProvider.getKeys('relay-bus'),
          unsigned,
        });
      },
    },
    {
      provide: RelayCluster,
      inject: [RelayBus],
      useFactory: (bus: RelayBus): RelayCluster | null => (bus instanceof RedisBus ? bus.clusterMembership : null),
    },
  ],
  exports: [LiveOutputService, RelayActivityService],
})
export class RelayModule implements OnModuleInit {
  constructor(
    private readonly retentionService: RetentionService,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.retentionService.registerRules({
      table: 'relay_calls',
      column: 'created_at',
      retentionMs: this.config.retentionDays.relayCalls * DAY,
    });
  }
}
