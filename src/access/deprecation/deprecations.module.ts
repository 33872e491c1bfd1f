import { Module } from '@nestjs/common';
import { RoutesModule } from '../../common/http';
import { DeprecationsService } from './deprecations.service';

@Module({ imports: [RoutesModule], providers: [DeprecationsService], exports: [DeprecationsService] })
export class DeprecationsModule {}
