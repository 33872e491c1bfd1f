import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { callModuleInitHook } from '@nestjs/core/hooks/on-module-init.hook';
import { AuditModule } from '../../access/audit';
import { AuthModule } from '../../access/auth';
import { RateLimitModule } from '../../access/rate-limiting';
import { ReadOnlyModule } from '../../access/read-only';
import { ConfigModule, type Config } from '../../core/config';
import { DatabaseModule } from '../../core/database';
import { InstancesModule } from '../../core/instances';
import { AccountsModule } from '../../modules/accounts';
import { ArtifactsModule } from '../../modules/artifacts';
import { AuditEventsModule } from '../../modules/audit-events';
import { DeveloperAppsModule } from '../../modules/developer-apps';
import { DevicesModule } from '../../modules/devices';
import { InvocationsModule } from '../../modules/invocations';
import { KeyGrantsModule } from '../../modules/key-grants';
import { MachinesModule } from '../../modules/machines';
import { MessagesModule } from '../../modules/messages';
import { OAuthModule } from '../../modules/oauth';
import { PermissionRequestsModule } from '../../modules/permission-requests';
import { PersonalAccessTokensModule } from '../../modules/personal-access-tokens';
import { PushSubscriptionsModule } from '../../modules/push-subscriptions';
import { QueuedMessagesModule } from '../../modules/queued-messages';
import { RelayCallReader } from '../../modules/relay';
import { SessionsModule } from '../../modules/sessions';
import { TurnsModule } from '../../modules/turns';
import { WebhooksModule } from '../../modules/webhooks';

/** The service's modules that own records, without those that serve devices, streams and pages. */
@Module({})
class AdminModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: AdminModule,
      imports: [
        ConfigModule.forRoot(config),
        DatabaseModule.forProgram(config),
        AuthModule,
        RateLimitModule,
        AuditModule,
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
        PersonalAccessTokensModule,
        DeveloperAppsModule,
        KeyGrantsModule,
        QueuedMessagesModule,
        OAuthModule,
        WebhooksModule,
        PushSubscriptionsModule,
      ],
      providers: [RelayCallReader],
    };
  }
}

/** Runs `work` on the service's database. Only with PostgreSQL may the service run at the same time. */
export async function runWithAdminDatabase(
  config: Config,
  work: (app: INestApplicationContext) => Promise<void>,
): Promise<void> {
  // Not initialized as an application: `onApplicationBootstrap` starts the workers of an instance.
  const app = await NestFactory.create(AdminModule.forRoot(config), { logger: false, abortOnError: false });
  try {
    await registerModules(app);
    await work(app);
  } finally {
    await app.close();
  }
}

/** Lets the modules register with each other, as at the start of an instance, but doesn't register an instance. */
async function registerModules(app: INestApplicationContext): Promise<void> {
  for (const module of app.get(ModulesContainer).values())
    if (module.metatype !== InstancesModule) await callModuleInitHook(module);
}
