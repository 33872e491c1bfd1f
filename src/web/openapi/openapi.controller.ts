import { Controller, Get, Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../access/auth';
import { jsonObjectResponse, Operation } from '../../common/http';
import { OpenApiDocumentService } from './openapi-document.service';

/** `GET /openapi.json` (docs/protocol/external-api.md#openapi-document). */
@Controller('external/v1/openapi.json')
export class OpenApiController {
  constructor(private readonly openApiDocumentService: OpenApiDocumentService) {}

  @Get()
  @Header('Content-Type', 'application/json')
  @Public()
  @Operation({
    id: 'getOpenApi',
    tag: 'Description',
    summary: 'Get this document',
    description: 'The OpenAPI 3.1 description of this API, without authentication.',
    response: jsonObjectResponse,
    responseDescription: 'This document.',
  })
  getOpenApiDocument(@Res({ passthrough: true }) response: Response): string {
    const { text, etag } = this.openApiDocumentService.externalApi;
    response.setHeader('ETag', etag);
    return text;
  }
}
