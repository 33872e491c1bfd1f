import { DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AccountsModule } from './modules/accounts';
import { ArtifactsModule } from './modules/artifacts';
import { AuditEventsModule } from './modules/audit-events';
import {
  AuthModule,
  CredentialGuard,
  HeldRequestGuard,
  invalidToken,
  MachineLimitGuard,
  PermissionGuard,
} from './access/auth';
import { ProblemFilter, RequestValidationGuard, RouteRegistry, RoutesModule } from './common/http';
import { BackpressureGuard, BackpressureModule } from './access/backpressure';
import { Config, ConfigModule } from './core/config';
import { ConsoleErrorHandler, ConsoleModule } from './web/console';
import { DeprecationGuard } from './access/deprecation';
import { DeveloperAppsModule } from './modules/developer-apps';
import { DevicesModule } from './modules/devices';
import { EventStreamsModule } from './modules/event-streams';
import { DocsErrorHandler, DocsModule } from './web/docs';
import { PersonalAccessTokensModule } from './modules/personal-access-tokens';
import { HealthModule } from './web/health';
import { KeyGrantsModule } from './modules/key-grants';
import { MachinesModule } from './modules/machines';
import { MessagesModule } from './modules/messages';
import { MetricsModule } from './core/metrics';
import { OAuthModule } from './modules/oauth';
import { OpenApiModule } from './web/openapi';
import { isAccountDeletedError, isDatabaseUnavailable, DatabaseModule } from './core/database';
import { InvocationsModule } from './modules/invocations';
import { PackagesModule } from './web/packages';
import { PermissionRequestsModule } from './modules/permission-requests';
import { PushSubscriptionsModule } from './modules/push-subscriptions';
import { QueuedMessagesModule } from './modules/queued-messages';
import { ReadOnlyGuard, ReadOnlyModule } from './access/read-only';
import { RateLimitGuard, RateLimitModule } from './access/rate-limiting';
import { RelayModule } from './modules/relay';
import { SessionsModule } from './modules/sessions';
import { TracingModule } from './core/tracing';
import { TurnsModule } from './modules/turns';
import { UsageModule } from './modules/usage';
import { WebhooksModule } from './modules/webhooks';

/** Root module. Imports all modules and binds the ports that lower modules declare. */
@Module({})
export class AppModule {
  /** @param extraModules modules that a test adds to the application */
  static forRoot(config: Config, extraModules: Type[] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        DatabaseModule.forRoot(config),
        MetricsModule,
        TracingModule,
        RoutesModule,
        AuthModule,
        RateLimitModule,
        BackpressureModule,
        ReadOnlyModule,
        AccountsModule,
        AuditEventsModule,
        DevicesModule,
        MachinesModule,
        SessionsModule,
        TurnsModule,
        InvocationsModule,
        MessagesModule,
        PermissionRequestsModule,
        ArtifactsModule,
        UsageModule,
        PersonalAccessTokensModule,
        DeveloperAppsModule,
        KeyGrantsModule,
        QueuedMessagesModule,
        OAuthModule,
        RelayModule,
        WebhooksModule,
        PushSubscriptionsModule,
        EventStreamsModule,
        OpenApiModule,
        HealthModule,
        DocsModule,
        PackagesModule,
        ConsoleModule,
        ...extraModules,
      ],
      providers: [
        // The order of checks (docs/protocol/external-api.md#order-of-checks): route, credential, rate bucket, scope,
        // machines of the token, read-only mode, unread responses, validation, and the credential of a slow request.
        { provide: APP_GUARD, useClass: DeprecationGuard },
        { provide: APP_GUARD, useClass: CredentialGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: PermissionGuard },
        { provide: APP_GUARD, useClass: MachineLimitGuard },
        { provide: APP_GUARD, useClass: ReadOnlyGuard },
        { provide: APP_GUARD, useClass: BackpressureGuard },
        { provide: APP_GUARD, useClass: RequestValidationGuard },
        { provide: APP_GUARD, useExisting: HeldRequestGuard },
        {
          provide: APP_FILTER,
          inject: [Config, RouteRegistry, ConsoleErrorHandler, DocsErrorHandler],
          useFactory: (
            { publicUrl }: Config,
            routes: RouteRegistry,
            consoleErrors: ConsoleErrorHandler,
            docsErrors: DocsErrorHandler,
          ) =>
            new ProblemFilter(
              publicUrl,
              routes,
              isDatabaseUnavailable,
              (thrown) => (isAccountDeletedError(thrown) ? invalidToken('unknown') : null),
              (error, request, response) =>
                consoleErrors.handleError(error, request, response) || docsErrors.handleError(error, request, response),
            ),
        },
      ],
    };
  }
}
