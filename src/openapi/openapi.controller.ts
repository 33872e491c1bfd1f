import { Controller, Get, Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../auth';
import { document, Operation } from '../common/http';
import { ServedDocument } from './served-document';

/** `GET /openapi.json` (external-api.md §4). */
@Controller('external/v1/openapi.json')
export class OpenApiController {
  constructor(private readonly served: ServedDocument) {}

  @Get()
  @Header('Content-Type', 'application/json')
  @Public()
  @Operation({
    id: 'getOpenApi',
    tag: 'Description',
    summary: 'Get this document',
    description: 'The OpenAPI 3.1 description of this API, without authentication.',
    answer: document,
    returns: 'This document.',
  })
  get(@Res({ passthrough: true }) response: Response): string {
    response.setHeader('ETag', this.served.etag);
    return this.served.text;
  }
}
