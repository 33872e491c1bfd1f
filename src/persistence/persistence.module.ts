import { DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Config } from '../config';
import { openDataSource } from './data-source';
import { CursorCodec, KeysetPager } from './keyset';
import { Retention } from './retention';
import { UnitOfWork } from './unit-of-work';

/** PostgreSQL or the embedded database; entities come from each module's `TypeOrmModule.forFeature`. */
@Global()
@Module({})
export class PersistenceModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: PersistenceModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({
            type: 'postgres',
            autoLoadEntities: true,
            retryAttempts: 0,
            toRetry: () => false,
          }),
          dataSourceFactory: (options) => openDataSource(config, options!.entities!),
        }),
      ],
      providers: [UnitOfWork, CursorCodec, KeysetPager, Retention],
      exports: [UnitOfWork, KeysetPager, Retention],
    };
  }
}
