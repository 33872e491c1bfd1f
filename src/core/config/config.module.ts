import { DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { ShutdownState } from '../../common/shutdown-state';
import { Config } from './config';
import { DerivedKeyProvider } from './derived-key.provider';

/** Configuration, derived keys, clock and shutdown state, which all modules may inject. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: Config, useValue: config }, DerivedKeyProvider, Clock, ShutdownState],
      exports: [Config, DerivedKeyProvider, Clock, ShutdownState],
    };
  }
}
