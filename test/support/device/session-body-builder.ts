import { randomBytes } from 'node:crypto';
import type { ForeignAccountDevice } from './foreign-device';
import { encodeBase64urlJson } from './keys';
import { encryptContentJwe } from './jwe-encryption';

/** Builds the request bodies of a session, with ciphertexts for their places. */
export class SessionBodyBuilder {
  readonly tag = `tag-${randomBytes(6).toString('hex')}`;
  private readonly key: { kid: string; sealed: string; bytes: Buffer };

  constructor(private readonly account: ForeignAccountDevice) {
    this.key = account.createDataKey();
  }

  get dataKey(): { kid: string; sealed: string } {
    return { kid: this.key.kid, sealed: this.key.sealed };
  }

  /** Returns the body of `POST /v1/sessions`. */
  buildCreateBody(extra: object = {}): object {
    return { tag: this.tag, dataKey: this.dataKey, ...extra };
  }

  /** Encrypts metadata for a version, unless `svc` overrides the place. */
  encryptMetadata(version: number, svc: object = {}, kid = this.key.kid, text = '{"title":"a session"}'): string {
    const binding = { a: this.account.accountId, s: this.tag, m: version, ...svc };
    return encryptContentJwe(this.key.bytes, kid, binding, text);
  }

  /** Returns a body with metadata of about this many bytes. */
  buildCreateBodyOfSize(metadataBytes: number): object {
    const text = JSON.stringify({ title: 'x'.repeat(Math.floor(metadataBytes * 0.74)) });
    return this.buildCreateBody({ metadata: this.encryptMetadata(1, {}, this.key.kid, text) });
  }

  /** Returns the ciphertext with another protected header. */
  replaceMetadataHeader(header: object): string {
    const [, ...segments] = this.encryptMetadata(1).split('.');
    return [encodeBase64urlJson(header), ...segments].join('.');
  }

  buildMetadataHeader(extra: object = {}): object {
    const svc = { a: this.account.accountId, s: this.tag, m: 1 };
    return { alg: 'dir', enc: 'A256GCM', kid: this.key.kid, cty: 'application/json', svc, ...extra };
  }
}
