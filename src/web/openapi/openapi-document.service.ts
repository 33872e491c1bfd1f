import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../common/project-root';
import { Config } from '../../core/config';
import { withServerUrl } from './document';

/** The committed document with this service's public URL, read once at startup. */
@Injectable()
export class OpenApiDocumentService {
  readonly text: string;
  /** Weak validator for all content codings (RFC 9110 §8.8.1). */
  readonly etag: string;

  constructor({ publicUrl }: Config) {
    this.text = JSON.stringify(withServerUrl(publicUrl, readCommittedDocument()));
    this.etag = `W/"${createHash('sha256').update(this.text).digest('base64url').slice(0, 27)}"`;
  }
}

const OPENAPI_FILE = 'openapi.json';

/** Reads the committed `openapi.json` from the project root. */
function readCommittedDocument(): Record<string, unknown> {
  const file = join(PROJECT_ROOT, OPENAPI_FILE);
  if (!existsSync(file)) throw new Error(`${OPENAPI_FILE} is missing. Create it with "npm run generate".`);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}
