import { Global, Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountControl, Invitations } from '../accounts';
import { ConfigModule, type Config } from '../config';
import { PersistenceModule, UnitOfWork } from '../persistence';
import { RelayCallLookUp } from '../relay';
import { SecretResealing, SecretVault } from '../webhooks';

/** A connection beside a running service: PersistenceModule would take the lock of the one that serves. */
@Global()
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
        database.kind === 'postgres' ? SharedDatabaseModule.forRoot(database.url) : PersistenceModule.forRoot(config),
      ],
      providers: [AccountControl, Invitations, RelayCallLookUp, SecretResealing, SecretVault],
    };
  }
}

/** Runs `work` on the service's database: beside it on PostgreSQL, instead of it on the embedded one. */
export async function withDatabase(
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
