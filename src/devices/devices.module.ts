import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { DAY } from '../common/clock';
import { Retention } from '../persistence';
import { AccountRemovalController } from './account-removal.controller';
import { DeviceTokenEntity } from './device-token.entity';
import { DeviceEntity } from './device.entity';
import { DevicesExport } from './devices-export';
import { DevicesController } from './devices.controller';
import { DevicesRepository } from './devices.repository';
import { DevicesService } from './devices.service';
import { Challenges } from './identity/challenges';
import { DeviceTokens } from './identity/device-tokens';
import { IdentityController } from './identity/identity.controller';
import { SignInService } from './identity/sign-in.service';
import { SignUpService } from './identity/sign-up.service';
import { CodeEntry } from './pairing/code-entry';
import { PairingEntity } from './pairing/pairing.entity';
import { PairingsController } from './pairing/pairings.controller';
import { PairingsRepository } from './pairing/pairings.repository';
import { PairingsService } from './pairing/pairings.service';

@Module({
  imports: [AccountsModule, TypeOrmModule.forFeature([DeviceEntity, DeviceTokenEntity, PairingEntity])],
  controllers: [IdentityController, PairingsController, DevicesController, AccountRemovalController],
  providers: [
    Challenges,
    CodeEntry,
    DeviceTokens,
    DevicesExport,
    DevicesRepository,
    DevicesService,
    PairingsRepository,
    PairingsService,
    SignInService,
    SignUpService,
  ],
  exports: [DevicesService, DeviceTokens, PairingsService, SignInService],
})
export class DevicesModule {
  constructor(retention: Retention) {
    retention.register(
      { table: 'used_challenges', column: 'expires_at', keepMs: 0 },
      { table: 'pairings', column: 'expires_at', keepMs: DAY },
      // Kept for a while, so that an old token is told that it has expired.
      { table: 'device_tokens', column: 'expires_at', keepMs: 30 * DAY },
      { table: 'device_revocations', column: 'revoked_at', keepMs: DAY },
    );
  }
}
