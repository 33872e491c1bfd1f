import { Global, Module } from '@nestjs/common';
import { Deprecations } from './deprecations.service';

@Global()
@Module({ providers: [Deprecations], exports: [Deprecations] })
export class DeprecationsModule {}
