import { Module } from '@nestjs/common';
import { AuthModule } from '../../access/auth';
import { RateLimitModule } from '../../access/rate-limiting';
import { AccountsModule } from '../../modules/accounts';
import { AuditEventsModule } from '../../modules/audit-events';
import { DeveloperAppsModule } from '../../modules/developer-apps';
import { DevicesModule } from '../../modules/devices';
import { PersonalAccessTokensModule } from '../../modules/personal-access-tokens';
import { MachinesModule } from '../../modules/machines';
import { OAuthModule } from '../../modules/oauth';
import { RelayModule } from '../../modules/relay';
import { TurnsModule } from '../../modules/turns';
import { UsageModule } from '../../modules/usage';
import { WebhooksModule } from '../../modules/webhooks';
import { SessionsModule } from '../../modules/sessions';
import { AccountExportPageController } from './account/account-export.controller';
import { AccountPageController } from './account/account.controller';
import { ActivityExportController } from './activity/activity-export.controller';
import { ActivityController } from './activity/activity.controller';
import { AppActionsController } from './apps/app-actions.controller';
import { AppSecretsPageController } from './apps/app-secrets.controller';
import { AppsController } from './apps/apps.controller';
import { ApprovalsPageController } from './approvals/approvals.controller';
import { AssetsController } from './assets/assets.controller';
import { ArtifactsPageController } from './artifacts/artifacts.controller';
import { AuthorizedAppsPageController } from './authorized-apps/authorized-apps.controller';
import { ConsentDecisionController } from './consent/consent-decision.controller';
import { ConsentController } from './consent/consent.controller';
import { DevicesPageController } from './devices/devices.controller';
import { MachinesPageController } from './machines/machines.controller';
import { RecoveryKeysPageController } from './devices/recovery-keys.controller';
import { PairingPageController } from './devices/pairing.controller';
import { AccountOverviewReader } from './home/account-overview-reader';
import { HomeController } from './home/home.controller';
import { RootController } from './home/root.controller';
import { ConsoleErrorHandler } from './html/console-error-handler';
import { LoginController } from './login/login.controller';
import { SignOutController } from './login/sign-out.controller';
import { TokensController } from './tokens/tokens.controller';
import { ViewerResolver } from './login/viewer-resolver';
import { SecurityLogController } from './security-log/security-log.controller';
import { SignInController } from './sign-in/sign-in.controller';
import { OpenApiModule } from '../openapi';
import { NotificationsController } from './notifications/notifications.controller';
import { DeciderNameReader } from './approvals/decider-name-reader';
import { OwnerNameReader } from './webhooks/owner-name-reader';
import { DeliveriesPagesController } from './webhooks/deliveries/deliveries.controller';
import { WebhookPageController } from './webhooks/webhook.controller';
import { WebhooksPagesController } from './webhooks/webhooks.controller';
import { SessionsPageController } from './sessions/sessions.controller';
import { ShareTargetReader } from './sharing/share-target-reader';
import { UsagePageController } from './usage/usage.controller';

/**
 * Web console and OAuth consent (docs/guide/console.md). Renders HTML on top of the services and has no tables of its
 * own.
 */
@Module({
  imports: [
    AccountsModule,
    AuditEventsModule,
    AuthModule,
    DeveloperAppsModule,
    DevicesModule,
    MachinesModule,
    PersonalAccessTokensModule,
    OAuthModule,
    OpenApiModule,
    RateLimitModule,
    RelayModule,
    SessionsModule,
    TurnsModule,
    UsageModule,
    WebhooksModule,
  ],
  controllers: [
    AssetsController,
    LoginController,
    SignInController,
    SignOutController,
    HomeController,
    RootController,
    ConsentController,
    ConsentDecisionController,
    SessionsPageController,
    ArtifactsPageController,
    ApprovalsPageController,
    MachinesPageController,
    NotificationsController,
    TokensController,
    PairingPageController,
    DevicesPageController,
    RecoveryKeysPageController,
    ActivityController,
    ActivityExportController,
    SecurityLogController,
    WebhooksPagesController,
    WebhookPageController,
    DeliveriesPagesController,
    AppsController,
    AppActionsController,
    AppSecretsPageController,
    AuthorizedAppsPageController,
    UsagePageController,
    AccountPageController,
    AccountExportPageController,
  ],
  providers: [
    AccountOverviewReader,
    ConsoleErrorHandler,
    DeciderNameReader,
    OwnerNameReader,
    ShareTargetReader,
    ViewerResolver,
  ],
  exports: [ConsoleErrorHandler],
})
export class ConsoleModule {}
