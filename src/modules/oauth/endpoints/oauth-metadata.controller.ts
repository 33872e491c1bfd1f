import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../../../access/auth';
import { Config } from '../../../core/config';
import { SERVER_METADATA_PATH, buildServerMetadata } from './server-metadata';

/** Serves the authorization server metadata (RFC 8414). CORS is open, so that any page may read it. */
@Controller(SERVER_METADATA_PATH)
export class OAuthMetadataController {
  private readonly metadata: object;

  constructor({ publicUrl }: Config) {
    this.metadata = buildServerMetadata(publicUrl);
  }

  @Get()
  @Header('Access-Control-Allow-Origin', '*')
  @Header('Cache-Control', 'public, max-age=300')
  @Public()
  getServerMetadata(): object {
    return this.metadata;
  }
}
