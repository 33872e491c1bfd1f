import { DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { ReadOnlyState } from '../../common/read-only-state';
import { ShutdownState } from '../../common/shutdown-state';
import { Config } from './config';
import { DerivedKeyProvider } from './derived-key.provider';

/** Configuration, derived keys, clock and the state of the process, which all modules may inject. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: Config, useValue: config }, DerivedKeyProvider, Clock, ReadOnlyState, ShutdownState],
      exports: [Config, DerivedKeyProvider, Clock, ReadOnlyState, ShutdownState],
    };
  }
}
