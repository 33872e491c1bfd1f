import { Module } from '@nestjs/common';
import { OpenApiController } from './openapi.controller';
import { ServedDocument } from './served-document';

/** Serves the committed document, and makes it from the code (document/). */
@Module({ controllers: [OpenApiController], providers: [ServedDocument] })
export class OpenApiModule {}
