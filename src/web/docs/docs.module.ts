import { Module } from '@nestjs/common';
import { DeprecationsModule } from '../../access/deprecation';
import { RoutesModule } from '../../common/http';
import { OpenApiModule } from '../openapi';
import { DocsErrorHandler } from './docs-error-handler';
import { DocsController, PageListController } from './docs.controller';
import { DocsPageService } from './site/docs-page.service';
import { ReferenceService } from './site/reference.service';

@Module({
  imports: [RoutesModule, DeprecationsModule, OpenApiModule],
  controllers: [DocsController, PageListController],
  providers: [DocsPageService, ReferenceService, DocsErrorHandler],
  exports: [DocsErrorHandler],
})
export class DocsModule {}
