import { Module } from '@nestjs/common';
import { DeprecationsModule } from '../../access/deprecation';
import { DocsController } from './docs.controller';

@Module({ imports: [DeprecationsModule], controllers: [DocsController] })
export class DocsModule {}
