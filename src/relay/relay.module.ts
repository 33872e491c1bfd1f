import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { DAY } from '../common/clock';
import { DevicesModule } from '../devices';
import { IdempotencyModule } from '../idempotency';
import { MachinesModule } from '../machines';
import { Retention } from '../persistence';
import { SessionsModule } from '../sessions';
import { RelayAudit } from './audit/relay-audit';
import { RelayCallEntity } from './audit/relay-call.entity';
import { RelayCallsController } from './audit/relay-calls.controller';
import { RelayCallsRepository } from './audit/relay-calls.repository';
import { LocalBus } from './bus/local-bus';
import { RelayBus } from './bus/relay-bus';
import { KeyedCalls } from './calls/keyed-calls';
import { RelayOrders } from './calls/relay-orders';
import { RelayController } from './calls/relay.controller';
import { RelayService } from './calls/relay.service';
import { ChangeHints } from './change-hints';
import { Drain } from './drain';
import { ClientAddress } from './gateway/client-address';
import { DeviceGateway } from './gateway/device.gateway';
import { Handshake } from './gateway/handshake';
import { PresenceReporter } from './gateway/presence-reporter';
import { RevocationWatch } from './gateway/revocation-watch';
import { RelayMetrics } from './relay-metrics';

/** Calls to devices: orders in, one device chosen, its answer out. */
@Module({
  imports: [
    AccountsModule,
    DevicesModule,
    IdempotencyModule,
    MachinesModule,
    SessionsModule,
    TypeOrmModule.forFeature([RelayCallEntity]),
  ],
  controllers: [RelayController, RelayCallsController],
  providers: [
    ChangeHints,
    ClientAddress,
    DeviceGateway,
    Drain,
    Handshake,
    KeyedCalls,
    PresenceReporter,
    RelayAudit,
    RelayCallsRepository,
    RelayMetrics,
    RelayOrders,
    RelayService,
    RevocationWatch,
    { provide: RelayBus, useClass: LocalBus },
  ],
})
export class RelayModule {
  constructor(retention: Retention) {
    retention.register({ table: 'relay_calls', column: 'created_at', keepMs: 30 * DAY });
  }
}
