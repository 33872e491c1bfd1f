import { Module } from '@nestjs/common';
import { AsyncApiController } from './asyncapi.controller';
import { DeviceOpenApiController } from './device-openapi.controller';
import { OpenApiController } from './openapi.controller';
import { OpenApiDocumentService } from './openapi-document.service';

/** Serves the committed OpenAPI documents, which `document/` generates from the code, and the AsyncAPI document. */
@Module({
  controllers: [AsyncApiController, DeviceOpenApiController, OpenApiController],
  providers: [OpenApiDocumentService],
  exports: [OpenApiDocumentService],
})
export class OpenApiModule {}
