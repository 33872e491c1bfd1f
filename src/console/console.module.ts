import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { DeveloperAppsModule } from '../developer-apps';
import { DevicesModule } from '../devices';
import { ExternalTokensModule } from '../external-tokens';
import { OAuthModule } from '../oauth';
import { RelayModule } from '../relay';
import { UsageModule } from '../usage';
import { WebhooksModule } from '../webhooks';
import { ActivityController } from './activity/activity.controller';
import { AppActsController } from './apps/app-acts.controller';
import { AppSecretsPageController } from './apps/app-secrets.controller';
import { AppsController } from './apps/apps.controller';
import { AssetsController } from './assets/assets.controller';
import { AuthorizedAppsPageController } from './authorized-apps/authorized-apps.controller';
import { ConsentController } from './consent/consent.controller';
import { DevicesPageController } from './devices/devices.controller';
import { PairingPageController } from './devices/pairing.controller';
import { HomeController } from './home/home.controller';
import { ConsoleErrors } from './html/console-errors';
import { ConsoleSessionController } from './session/console-session.controller';
import { CsrfTokens } from './session/csrf-tokens';
import { SignOutController } from './session/sign-out.controller';
import { TokensController } from './tokens/tokens.controller';
import { Viewers } from './session/viewers';
import { SignInController } from './sign-in/sign-in.controller';
import { CreatorNames } from './webhooks/creator-names';
import { DeliveriesPagesController } from './webhooks/deliveries/deliveries.controller';
import { WebhookPageController } from './webhooks/webhook.controller';
import { WebhooksPagesController } from './webhooks/webhooks.controller';
import { UsagePageController } from './usage/usage.controller';

/** Developer settings and consent in the browser (console.md): HTML over the services below it, and no tables. */
@Module({
  imports: [
    AccountsModule,
    DeveloperAppsModule,
    DevicesModule,
    ExternalTokensModule,
    OAuthModule,
    RelayModule,
    UsageModule,
    WebhooksModule,
  ],
  controllers: [
    AssetsController,
    ConsoleSessionController,
    SignInController,
    SignOutController,
    HomeController,
    ConsentController,
    TokensController,
    PairingPageController,
    DevicesPageController,
    ActivityController,
    WebhooksPagesController,
    WebhookPageController,
    DeliveriesPagesController,
    AppsController,
    AppActsController,
    AppSecretsPageController,
    AuthorizedAppsPageController,
    UsagePageController,
  ],
  providers: [ConsoleErrors, CreatorNames, CsrfTokens, Viewers],
  exports: [ConsoleErrors],
})
export class ConsoleModule {}
