import { DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Config } from '../config';
import { connectDataSource, openDataSource } from './data-source';
import { CursorService, KeysetPageReader } from './keyset';
import { RetentionService } from './retention.service';
import { UnitOfWork } from './unit-of-work';

/** Database access, to PostgreSQL or the embedded database. Modules register entities by `TypeOrmModule.forFeature`. */
@Global()
@Module({})
export class DatabaseModule {
  static forRoot(config: Config): DynamicModule {
    return createDatabaseModule(config, openDataSource);
  }

  /** For programs that work beside running instances: acquires no instance lock on PostgreSQL, and doesn't migrate. */
  static forProgram(config: Config): DynamicModule {
    return createDatabaseModule(config, connectDataSource);
  }
}

function createDatabaseModule(config: Config, openConnections: typeof openDataSource): DynamicModule {
  return {
    module: DatabaseModule,
    imports: [
      TypeOrmModule.forRootAsync({
        useFactory: () => ({
          type: 'postgres',
          autoLoadEntities: true,
          retryAttempts: 0,
          toRetry: () => false,
        }),
        dataSourceFactory: (options) => openConnections(config, options!.entities!),
      }),
    ],
    providers: [UnitOfWork, CursorService, KeysetPageReader, RetentionService],
    exports: [UnitOfWork, CursorService, KeysetPageReader, RetentionService],
  };
}
