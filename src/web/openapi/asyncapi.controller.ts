import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../access/auth';
import { jsonObjectResponse, Operation } from '../../common/http';
import { PROJECT_ROOT } from '../../common/project-root';

/** Serves the AsyncAPI document of the device socket's messages (docs/protocol/device-api.md#events). */
@Controller('v1/asyncapi.json')
export class AsyncApiController {
  private readonly text = readFileSync(join(PROJECT_ROOT, 'docs', 'protocol', 'asyncapi.json'), 'utf8');
  /** Weak validator for all content codings (RFC 9110 §8.8.1). */
  private readonly etag = `W/"${createHash('sha256').update(this.text).digest('base64url').slice(0, 27)}"`;

  @Get()
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
    response.setHeader('ETag', this.etag);
    return this.text;
  }
}
