import { Module } from '@nestjs/common';
import { AuthModule } from '../../access/auth';
import { RateLimitModule } from '../../access/rate-limiting';
import { EventsModule } from '../../core/events';
import { InstancesModule } from '../../core/instances';
import { MetricsModule } from '../../core/metrics';
import { RedisModule } from '../../core/redis';
import { DevicesModule } from '../devices';
import { MachinesModule } from '../machines';
import { RelayBusModule } from '../relay-bus';
import { DeviceGateway } from './device.gateway';
import { GracefulShutdownService } from './graceful-shutdown.service';
import { HandshakeService } from './handshake.service';
import { DeviceWatchService } from './live/device-watch.service';
import { LiveOutputMetrics } from './live/live-output-metrics';
import { LiveOutputReceiver } from './live/live-output-receiver';
import { WatchLeaseRegistry } from './live/watch-lease-registry';
import { MachineStatePublisher } from './presence/machine-state-publisher';
import { PresenceCleanup } from './presence/presence-cleanup';
import { PresenceRecorder } from './presence/presence-recorder';
import { PresenceRepository } from './presence/presence.repository';
import { PreviousReleasePresenceRepository } from './presence/previous-release-presence.repository';
import { SyncNotificationPublisher } from './presence/sync-notification-publisher';
import { CredentialMonitor } from './revocations/credential-monitor';
import { RevocationsRepository } from './revocations/revocations.repository';
import { SharedRevocationsService } from './revocations/shared-revocations.service';
import { ByteBudgetRegistry } from './sockets/byte-budget-registry';
import { ClientAddressResolver } from './sockets/client-address-resolver';
import { SocketGuard } from './sockets/socket-guard';
import { SocketMetrics } from './sockets/socket-metrics';
import { UnjoinedSocketLimiter } from './sockets/unjoined-socket-limiter';

/** Holds the sockets of devices: their handshake, presence, notifications and live output. */
@Module({
  imports: [
    AuthModule,
    DevicesModule,
    EventsModule,
    InstancesModule,
    MachinesModule,
    MetricsModule,
    RateLimitModule,
    RedisModule,
    RelayBusModule,
  ],
  providers: [
    ByteBudgetRegistry,
    ClientAddressResolver,
    CredentialMonitor,
    DeviceGateway,
    DeviceWatchService,
    GracefulShutdownService,
    HandshakeService,
    LiveOutputMetrics,
    LiveOutputReceiver,
    MachineStatePublisher,
    PresenceCleanup,
    PresenceRecorder,
    PresenceRepository,
    PreviousReleasePresenceRepository,
    RevocationsRepository,
    SharedRevocationsService,
    SocketGuard,
    SocketMetrics,
    SyncNotificationPublisher,
    UnjoinedSocketLimiter,
    WatchLeaseRegistry,
  ],
  exports: [DeviceGateway],
})
export class DeviceGatewayModule {}
