import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { ExpiryNotices } from './expiry-notices';
import { ExternalTokenSecretEntity } from './external-token-secret.entity';
import { ExternalTokenVerifier } from './external-token-verifier';
import { ExternalTokenEntity } from './external-token.entity';
import { ExternalTokensExport } from './external-tokens-export';
import { ExternalTokensController } from './external-tokens.controller';
import { ExternalTokensRepository } from './external-tokens.repository';
import { ExternalTokensService } from './external-tokens.service';

@Module({
  imports: [AccountsModule, TypeOrmModule.forFeature([ExternalTokenEntity, ExternalTokenSecretEntity])],
  controllers: [ExternalTokensController],
  providers: [
    ExpiryNotices,
    ExternalTokensExport,
    ExternalTokensRepository,
    ExternalTokensService,
    ExternalTokenVerifier,
  ],
  exports: [ExternalTokensService, ExternalTokenVerifier],
})
export class ExternalTokensModule {}
