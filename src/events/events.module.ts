import { Global, Module } from '@nestjs/common';
import { Changes } from './changes';

@Global()
@Module({ providers: [Changes], exports: [Changes] })
export class EventsModule {}
