import { Module } from '@nestjs/common';
import { OpenApiController } from './openapi.controller';
import { OpenApiDocumentService } from './openapi-document.service';

/** Serves the committed OpenAPI document, which `document/` generates from the code. */
@Module({ controllers: [OpenApiController], providers: [OpenApiDocumentService] })
export class OpenApiModule {}
