import { DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AccountsModule } from './accounts';
import { ArtifactsModule } from './artifacts';
import { AuthModule, CredentialGuard, invalidToken, PermissionGuard } from './auth';
import { ProblemFilter, RouteTable, ShapeGuard } from './common/http';
import { Config, ConfigModule } from './config';
import { ConsoleErrors, ConsoleModule } from './console';
import { DeprecationGuard, DeprecationsModule } from './deprecations';
import { DeveloperAppsModule } from './developer-apps';
import { DevicesModule, DeviceTokens } from './devices';
import { DocsModule } from './docs';
import { EventsModule } from './events';
import { ExternalTokensModule, ExternalTokenVerifier } from './external-tokens';
import { HealthModule } from './health';
import { KeyGrantsModule } from './key-grants';
import { MachinesModule } from './machines';
import { MessagesModule } from './messages';
import { MetricsModule } from './metrics';
import { OAuthModule, OAuthTokenVerifier } from './oauth';
import { OpenApiModule } from './openapi';
import { isAccountGone, isDatabaseUnavailable, PersistenceModule, RedisModule } from './persistence';
import { AddressBucket, RateLimitGuard, RateLimitModule } from './rate-limit';
import { RelayModule } from './relay';
import { SessionsModule } from './sessions';
import { UsageModule } from './usage';
import { WebhooksModule } from './webhooks';

/** The only file that knows every module; it also binds the ports that lower modules declare. */
@Module({})
export class AppModule {
  /** @param extra modules that a test adds to the whole application */
  static forRoot(config: Config, extra: Type[] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        MetricsModule,
        PersistenceModule.forRoot(config),
        RedisModule.forRoot(),
        EventsModule,
        DeprecationsModule,
        RateLimitModule,
        AuthModule.forRoot({
          imports: [DevicesModule, ExternalTokensModule, OAuthModule],
          verifiers: [DeviceTokens, ExternalTokenVerifier, OAuthTokenVerifier],
          failedAttempts: AddressBucket,
        }),
        AccountsModule,
        DevicesModule,
        MachinesModule,
        SessionsModule,
        MessagesModule,
        ArtifactsModule,
        UsageModule,
        ExternalTokensModule,
        DeveloperAppsModule,
        KeyGrantsModule,
        OAuthModule,
        RelayModule,
        WebhooksModule,
        OpenApiModule,
        HealthModule,
        DocsModule,
        ConsoleModule,
        ...extra,
      ],
      providers: [
        // The order of checks (external-api.md §1): route, credential, rate bucket, scope, shape.
        { provide: APP_GUARD, useClass: DeprecationGuard },
        { provide: APP_GUARD, useClass: CredentialGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: PermissionGuard },
        { provide: APP_GUARD, useClass: ShapeGuard },
        {
          provide: APP_FILTER,
          inject: [Config, RouteTable, ConsoleErrors],
          useFactory: ({ publicUrl }: Config, routes: RouteTable, pages: ConsoleErrors) =>
            new ProblemFilter(
              publicUrl,
              routes,
              isDatabaseUnavailable,
              (thrown) => (isAccountGone(thrown) ? invalidToken('unknown') : null),
              (error, request, response) => pages.present(error, request, response),
            ),
        },
      ],
    };
  }
}
