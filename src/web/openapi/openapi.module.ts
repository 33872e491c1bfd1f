import { Module, RequestMethod, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { OpenApiController } from './openapi.controller';
import { OpenApiDocumentService } from './openapi-document.service';
import { ACCOUNT_ROUTES, EXTERNAL_API } from './servers';

/**
 * Paths below the External API at which generated clients call the operations of the host's root: most generators put
 * the server of the document before every path, and ignore the server of a path item (docs/decisions/0062).
 */
const HOST_OPERATION_PATHS = ACCOUNT_ROUTES.map((route) => {
  const [, path] = route.split(' ') as [string, string];
  return EXTERNAL_API + path.replace(/\{(\w+)\}/g, ':$1');
});

/** Serves the AsyncAPI document and the OpenAPI documents, which `tools/documents/openapi/` makes from the code. */
@Module({
  controllers: [OpenApiController],
  providers: [OpenApiDocumentService],
  exports: [OpenApiDocumentService],
})
export class OpenApiModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const routes = HOST_OPERATION_PATHS.map((path) => ({ path, method: RequestMethod.POST }));
    consumer.apply(leadToHostOperation).forRoutes(...routes);
  }
}

/** Leads a request to one of these paths to its operation. */
function leadToHostOperation(request: Request, _response: Response, next: NextFunction): void {
  request.url = request.url.slice(EXTERNAL_API.length);
  next();
}
