import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { Clock, DAY } from '../common/clock';
import { Config } from '../config';
import { DevicesModule } from '../devices';
import { IdempotencyModule } from '../idempotency';
import { Instances, InstancesModule } from '../instances';
import { MachinesModule } from '../machines';
import { Retention } from '../persistence';
import { SessionsModule } from '../sessions';
import { OrphanedCalls } from './audit/orphaned-calls';
import { RelayActivity } from './audit/relay-activity';
import { RelayAudit } from './audit/relay-audit';
import { RelayCallEntity } from './audit/relay-call.entity';
import { RelayCallsController } from './audit/relay-calls.controller';
import { RelayCallsRepository } from './audit/relay-calls.repository';
import { DeviceSlots } from './bus/device-slots';
import { LocalBus } from './bus/local-bus';
import { BusMetrics } from './bus/redis/bus-metrics';
import { RedisBus } from './bus/redis/redis-bus';
import { RelayBus } from './bus/relay-bus';
import { KeyedCalls } from './calls/keyed-calls';
import { RelayOrders } from './calls/relay-orders';
import { RelayController } from './calls/relay.controller';
import { RelayService } from './calls/relay.service';
import { ChangeHints } from './change-hints';
import { Drain } from './drain';
import { ClientAddress } from './gateway/client-address';
import { CredentialWatch } from './gateway/credential-watch';
import { DeviceGateway } from './gateway/device.gateway';
import { Handshake } from './gateway/handshake';
import { PresenceEpochs } from './gateway/presence-epochs';
import { PresenceReporter } from './gateway/presence-reporter';
import { PresenceSweeper } from './gateway/presence-sweeper';
import { RelayMetrics } from './relay-metrics';

/** Calls to devices: orders in, one device chosen, its answer out. */
@Module({
  imports: [
    AccountsModule,
    DevicesModule,
    IdempotencyModule,
    InstancesModule,
    MachinesModule,
    SessionsModule,
    TypeOrmModule.forFeature([RelayCallEntity]),
  ],
  controllers: [RelayController, RelayCallsController],
  providers: [
    BusMetrics,
    ChangeHints,
    ClientAddress,
    CredentialWatch,
    DeviceGateway,
    DeviceSlots,
    Drain,
    Handshake,
    KeyedCalls,
    OrphanedCalls,
    PresenceEpochs,
    PresenceReporter,
    PresenceSweeper,
    RelayActivity,
    RelayAudit,
    RelayCallsRepository,
    RelayMetrics,
    RelayOrders,
    RelayService,
    {
      provide: RelayBus,
      inject: [Config, Clock, Instances, BusMetrics],
      useFactory: ({ redisUrl }: Config, clock: Clock, { self }: Instances, metrics: BusMetrics) =>
        redisUrl ? new RedisBus(redisUrl, self, metrics) : new LocalBus(clock),
    },
  ],
  exports: [RelayActivity],
})
export class RelayModule {
  constructor(retention: Retention) {
    retention.register({ table: 'relay_calls', column: 'created_at', keepMs: 30 * DAY });
  }
}
