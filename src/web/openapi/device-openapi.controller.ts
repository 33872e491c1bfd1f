import { Controller, Get, Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../access/auth';
import { jsonObjectResponse, Operation } from '../../common/http';
import { OpenApiDocumentService } from './openapi-document.service';

/** `GET /v1/openapi.json` (docs/protocol/device-api.md#openapi-document). */
@Controller('v1/openapi.json')
export class DeviceOpenApiController {
  constructor(private readonly openApiDocumentService: OpenApiDocumentService) {}

  @Get()
  @Header('Content-Type', 'application/json')
  @Public()
  @Operation({
    id: 'getDeviceOpenApi',
    tag: 'Description',
    summary: 'Get this document',
    description: 'The OpenAPI 3.1 description of the account and device API, without authentication.',
    response: jsonObjectResponse,
    responseDescription: 'This document.',
  })
  getDeviceOpenApiDocument(@Res({ passthrough: true }) response: Response): string {
    const { text, etag } = this.openApiDocumentService.deviceApi;
    response.setHeader('ETag', etag);
    return text;
  }
}
