import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { Retention } from '../persistence';
import { AppSecretEntity } from './app-secret.entity';
import { AppSecretsController } from './app-secrets.controller';
import { AppSecretsRepository } from './app-secrets.repository';
import { AppSecretsService } from './app-secrets.service';
import { AppAuthorizationEntity } from './authorizations/app-authorization.entity';
import { AppAuthorizations } from './authorizations/app-authorizations';
import { AppAuthorizationsRepository } from './authorizations/app-authorizations.repository';
import { AuthorizedAppsController } from './authorizations/authorized-apps.controller';
import { AuthorizedAppsService } from './authorizations/authorized-apps.service';
import { DeveloperAppEntity } from './developer-app.entity';
import { DeveloperAppsExport } from './developer-apps-export';
import { DeveloperAppsController } from './developer-apps.controller';
import { DeveloperAppsRepository } from './developer-apps.repository';
import { DeveloperAppsService } from './developer-apps.service';
import { RegisteredApps } from './registered-apps';

@Module({
  imports: [AccountsModule, TypeOrmModule.forFeature([DeveloperAppEntity, AppSecretEntity, AppAuthorizationEntity])],
  controllers: [DeveloperAppsController, AppSecretsController, AuthorizedAppsController],
  providers: [
    AppAuthorizations,
    AppAuthorizationsRepository,
    AppSecretsRepository,
    AppSecretsService,
    AuthorizedAppsService,
    DeveloperAppsExport,
    DeveloperAppsRepository,
    DeveloperAppsService,
    RegisteredApps,
  ],
  exports: [AppAuthorizations, AppSecretsService, AuthorizedAppsService, DeveloperAppsService, RegisteredApps],
})
export class DeveloperAppsModule {
  constructor(retention: Retention) {
    retention.register({ table: 'developer_app_secrets', column: 'expires_at', keepMs: 0 });
  }
}
