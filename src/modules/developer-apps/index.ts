export {
  AppAuthorizationsService,
  type AuthorizationRevocationListener,
} from './authorizations/app-authorizations.service';
export { AppSecretsService, MAX_LIVE_SECRETS } from './app-secrets.service';
export { AppSuspensionService, type RegisteredDeveloperApp } from './app-suspension.service';
export type { AppSecretDto, AppWithSecretDto, DeveloperAppDto } from './developer-app.response.dto';
export type { AuthorizedAppDto } from './authorizations/authorized-app.response.dto';
export { AuthorizedAppsService } from './authorizations/authorized-apps.service';
export { AddAppSecretDto, CreateDeveloperAppDto } from './developer-apps.dto';
export * from './developer-apps.module';
export { DeveloperAppsService } from './developer-apps.service';
export { LOOPBACK_HOSTS } from './redirect-uri';
export type { RegisteredApp } from './developer-apps.repository';
export { RegisteredAppReader } from './registered-app-reader';
