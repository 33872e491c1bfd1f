import { Controller, Get, Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../access/auth';
import { jsonObjectResponse, Operation } from '../../common/http';
import { OpenApiDocumentService, type ServedDocument } from './openapi-document.service';

/**
 * Serves the descriptions of both APIs and of the device socket (docs/protocol/external-api.md#openapi-document,
 * docs/protocol/device-api.md#openapi-document and #events).
 */
@Controller()
export class OpenApiController {
  constructor(private readonly documents: OpenApiDocumentService) {}

  @Get('v1/asyncapi.json')
  @Header('Content-Type', 'application/json')
  @Public()
  @Operation({
    id: 'getAsyncApi',
    tag: 'Description',
    summary: 'Get the messages of device sockets',
    description: 'The AsyncAPI 3 description of the device socket, without authentication.',
    response: jsonObjectResponse,
    responseDescription: 'The AsyncAPI document.',
  })
  getAsyncApiDocument(@Res({ passthrough: true }) response: Response): string {
    return prepareDocument(this.documents.asyncApi, response);
  }

  @Get('v1/openapi.json')
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
    return prepareDocument(this.documents.deviceApi, response);
  }

  @Get('external/v1/openapi.json')
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
    return prepareDocument(this.documents.externalApi, response);
  }
}

/** Returns the text, whose validator the response gets. */
function prepareDocument({ text, etag }: ServedDocument, response: Response): string {
  response.setHeader('ETag', etag);
  return text;
}
