import { DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Draining } from '../common/draining';
import { Config } from './config';
import { KeyRing } from './key-ring';

/** Configuration, the keys derived from it, the clock and the process's state: what every module may ask for. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: Config, useValue: config }, KeyRing, Clock, Draining],
      exports: [Config, KeyRing, Clock, Draining],
    };
  }
}
