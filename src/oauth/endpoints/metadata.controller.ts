import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../../auth';
import { Config } from '../../config';
import { METADATA_PATH, serverMetadata } from './server-metadata';

/** The server's metadata where RFC 8414 has clients look for it; public, so that any page may read it. */
@Controller(METADATA_PATH)
export class MetadataController {
  private readonly metadata: object;

  constructor({ publicUrl }: Config) {
    this.metadata = serverMetadata(publicUrl);
  }

  @Get()
  @Header('Access-Control-Allow-Origin', '*')
  @Header('Cache-Control', 'public, max-age=300')
  @Public()
  get(): object {
    return this.metadata;
  }
}
