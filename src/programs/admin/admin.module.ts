import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditRecorder, AuditTrailRepository } from '../../access/audit';
import { AccountAdminService, InvitationsService } from '../../modules/accounts';
import { ConfigModule, type Config } from '../../core/config';
import { DatabaseModule, UnitOfWork } from '../../core/database';
import { RelayCallReader } from '../../modules/relay';
import { SecretReencryptionService, SigningSecretCipher } from '../../modules/webhooks';

/** Connects while a service is running. DatabaseModule can't be used here: it would acquire that service's lock. */
@Module({})
class SharedDatabaseModule {
  static forRoot(url: string): DynamicModule {
    return {
      module: SharedDatabaseModule,
      imports: [TypeOrmModule.forRoot({ type: 'postgres', url, retryAttempts: 0, toRetry: () => false })],
      providers: [UnitOfWork],
      exports: [UnitOfWork],
    };
  }
}

@Module({})
class AdminModule {
  static forRoot(config: Config): DynamicModule {
    const { database } = config;
    return {
      module: AdminModule,
      imports: [
        ConfigModule.forRoot(config),
        database.kind === 'postgres' ? SharedDatabaseModule.forRoot(database.url) : DatabaseModule.forRoot(config),
      ],
      providers: [
        AccountAdminService,
        AuditRecorder,
        AuditTrailRepository,
        InvitationsService,
        RelayCallReader,
        SecretReencryptionService,
        SigningSecretCipher,
      ],
    };
  }
}

/** Runs `work` on the service's database. Only with PostgreSQL may the service run at the same time. */
export async function runWithAdminDatabase(
  config: Config,
  work: (app: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const app = await NestFactory.createApplicationContext(AdminModule.forRoot(config), {
    logger: false,
    abortOnError: false,
  });
  try {
    await work(app);
  } finally {
    await app.close();
  }
}
