import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../access/audit';
import { AuthModule } from '../../access/auth';
import { EventsModule } from '../../core/events';
import { InstancesModule } from '../../core/instances';
import { AccountsModule } from '../accounts';
import { MachinesModule } from '../machines';
import { TokenExpiryPublisher } from './token-expiry-publisher';
import { PersonalAccessTokenSecretEntity } from './personal-access-token-secret.entity';
import { PersonalAccessTokenVerifier } from './personal-access-token-verifier';
import { PersonalAccessTokenEntity } from './personal-access-token.entity';
import { PersonalAccessTokensController } from './personal-access-tokens.controller';
import { PersonalAccessTokensRepository } from './personal-access-tokens.repository';
import { PersonalAccessTokensService } from './personal-access-tokens.service';

@Module({
  imports: [
    AccountsModule,
    AuditModule,
    AuthModule,
    EventsModule,
    InstancesModule,
    MachinesModule,
    TypeOrmModule.forFeature([PersonalAccessTokenEntity, PersonalAccessTokenSecretEntity]),
  ],
  controllers: [PersonalAccessTokensController],
  providers: [
    TokenExpiryPublisher,
    PersonalAccessTokensRepository,
    PersonalAccessTokensService,
    PersonalAccessTokenVerifier,
  ],
  exports: [PersonalAccessTokensService],
})
export class PersonalAccessTokensModule {}
