import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../access/audit';
import { AuthModule } from '../../access/auth';
import { RateLimitModule } from '../../access/rate-limiting';
import { AccountsModule } from '../accounts';
import { DAY } from '../../common/clock';
import { RetentionService } from '../../core/database';
import { DeviceLossService } from './device-loss.service';
import { DeviceTokenEntity } from './device-token.entity';
import { DeviceEntity } from './device.entity';
import { DevicesController } from './devices.controller';
import { DevicesRepository } from './devices.repository';
import { DevicesService } from './devices.service';
import { ChallengeService } from './identity/challenge.service';
import { DeviceTokenService } from './identity/device-token.service';
import { DeviceTokensRepository } from './identity/device-tokens.repository';
import { IdentityController } from './identity/identity.controller';
import { SignInService } from './identity/sign-in.service';
import { SignUpService } from './identity/sign-up.service';
import { UsedChallengesRepository } from './identity/used-challenges.repository';
import { PairingCodeLimiter } from './pairing/pairing-code-limiter';
import { PairingEntity } from './pairing/pairing.entity';
import { PairingsController } from './pairing/pairings.controller';
import { PairingsRepository } from './pairing/pairings.repository';
import { PairingsService } from './pairing/pairings.service';

@Module({
  imports: [
    AccountsModule,
    AuditModule,
    AuthModule,
    RateLimitModule,
    TypeOrmModule.forFeature([DeviceEntity, DeviceTokenEntity, PairingEntity]),
  ],
  controllers: [IdentityController, PairingsController, DevicesController],
  providers: [
    ChallengeService,
    DeviceLossService,
    PairingCodeLimiter,
    DeviceTokenService,
    DeviceTokensRepository,
    DevicesRepository,
    DevicesService,
    PairingsRepository,
    PairingsService,
    SignInService,
    SignUpService,
    UsedChallengesRepository,
  ],
  exports: [DeviceLossService, DevicesService, DeviceTokenService, PairingsService, SignInService],
})
export class DevicesModule {
  constructor(retentionService: RetentionService) {
    retentionService.registerRules(
      { table: 'used_challenges', column: 'expires_at', retentionMs: 0 },
      { table: 'pairings', column: 'expires_at', retentionMs: DAY },
      // Retained so that a request with an expired token gets "expired" as the reason.
      { table: 'device_tokens', column: 'expires_at', retentionMs: 30 * DAY },
      { table: 'device_revocations', column: 'revoked_at', retentionMs: DAY },
    );
  }
}
