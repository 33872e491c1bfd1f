import { Module } from '@nestjs/common';
import { AuthModule } from '../../access/auth';
import { RateLimitModule } from '../../access/rate-limiting';
import { AccountsModule } from '../../modules/accounts';
import { DeveloperAppsModule } from '../../modules/developer-apps';
import { DevicesModule } from '../../modules/devices';
import { PersonalAccessTokensModule } from '../../modules/personal-access-tokens';
import { OAuthModule } from '../../modules/oauth';
import { RelayModule } from '../../modules/relay';
import { UsageModule } from '../../modules/usage';
import { WebhooksModule } from '../../modules/webhooks';
import { ActivityController } from './activity/activity.controller';
import { AppActionsController } from './apps/app-actions.controller';
import { AppSecretsPageController } from './apps/app-secrets.controller';
import { AppsController } from './apps/apps.controller';
import { AssetsController } from './assets/assets.controller';
import { AuthorizedAppsPageController } from './authorized-apps/authorized-apps.controller';
import { ConsentController } from './consent/consent.controller';
import { DevicesPageController } from './devices/devices.controller';
import { PairingPageController } from './devices/pairing.controller';
import { HomeController } from './home/home.controller';
import { RootController } from './home/root.controller';
import { ConsoleErrorHandler } from './html/console-error-handler';
import { LoginController } from './login/login.controller';
import { SignOutController } from './login/sign-out.controller';
import { TokensController } from './tokens/tokens.controller';
import { ViewerResolver } from './login/viewer-resolver';
import { SignInController } from './sign-in/sign-in.controller';
import { OwnerNameReader } from './webhooks/owner-name-reader';
import { DeliveriesPagesController } from './webhooks/deliveries/deliveries.controller';
import { WebhookPageController } from './webhooks/webhook.controller';
import { WebhooksPagesController } from './webhooks/webhooks.controller';
import { UsagePageController } from './usage/usage.controller';

/** Web console and OAuth consent (docs/guide/console.md). Renders HTML on top of the services and has no tables of its
 * own.
 */
@Module({
  imports: [
    AccountsModule,
    AuthModule,
    DeveloperAppsModule,
    DevicesModule,
    PersonalAccessTokensModule,
    OAuthModule,
    RateLimitModule,
    RelayModule,
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
    TokensController,
    PairingPageController,
    DevicesPageController,
    ActivityController,
    WebhooksPagesController,
    WebhookPageController,
    DeliveriesPagesController,
    AppsController,
    AppActionsController,
    AppSecretsPageController,
    AuthorizedAppsPageController,
    UsagePageController,
  ],
  providers: [ConsoleErrorHandler, OwnerNameReader, ViewerResolver],
  exports: [ConsoleErrorHandler],
})
export class ConsoleModule {}
