import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../access/audit';
import { AuthModule } from '../../access/auth';
import { AccountsModule } from '../accounts';
import { RetentionService } from '../../core/database';
import { AppSecretEntity } from './app-secret.entity';
import { AppSecretsController } from './app-secrets.controller';
import { AppSecretsRepository } from './app-secrets.repository';
import { AppSecretsService } from './app-secrets.service';
import { AppSuspensionService } from './app-suspension.service';
import { AppAuthorizationEntity } from './authorizations/app-authorization.entity';
import { AppAuthorizationsService } from './authorizations/app-authorizations.service';
import { AppAuthorizationsRepository } from './authorizations/app-authorizations.repository';
import { AuthorizedAppsController } from './authorizations/authorized-apps.controller';
import { AuthorizedAppsService } from './authorizations/authorized-apps.service';
import { DeveloperAppEntity } from './developer-app.entity';
import { DeveloperAppsController } from './developer-apps.controller';
import { DeveloperAppsRepository } from './developer-apps.repository';
import { DeveloperAppsService } from './developer-apps.service';
import { RegisteredAppReader } from './registered-app-reader';

@Module({
  imports: [
    AccountsModule,
    AuditModule,
    AuthModule,
    TypeOrmModule.forFeature([DeveloperAppEntity, AppSecretEntity, AppAuthorizationEntity]),
  ],
  controllers: [DeveloperAppsController, AppSecretsController, AuthorizedAppsController],
  providers: [
    AppAuthorizationsService,
    AppAuthorizationsRepository,
    AppSecretsRepository,
    AppSecretsService,
    AppSuspensionService,
    AuthorizedAppsService,
    DeveloperAppsRepository,
    DeveloperAppsService,
    RegisteredAppReader,
  ],
  exports: [
    AppAuthorizationsService,
    AppSecretsService,
    AppSuspensionService,
    AuthorizedAppsService,
    DeveloperAppsService,
    RegisteredAppReader,
  ],
})
export class DeveloperAppsModule {
  constructor(retentionService: RetentionService) {
    retentionService.registerRules({ table: 'developer_app_secrets', column: 'expires_at', retentionMs: 0 });
  }
}
