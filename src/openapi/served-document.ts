import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config';
import { readCommittedDocument } from './committed-document';
import { EXTERNAL_API } from './document';

/** The committed document with this service's address in it, read once at the start. */
@Injectable()
export class ServedDocument {
  readonly text: string;
  /** Weak: one validator for all content codings (RFC 9110 §8.8.1). */
  readonly etag: string;

  constructor({ publicUrl }: Config) {
    const servers = [{ url: publicUrl + EXTERNAL_API, description: 'This service' }];
    this.text = JSON.stringify({ ...readCommittedDocument(), servers });
    this.etag = `W/"${createHash('sha256').update(this.text).digest('base64url').slice(0, 27)}"`;
  }
}
