import { randomBytes } from 'node:crypto';
import type { AccountDevice } from './foreign-device';
import { base64urlJson } from './keys';
import { encryptContent } from './seal';

/** A session as a device creates it, and texts for its places. */
export class SessionBody {
  readonly tag = `tag-${randomBytes(6).toString('hex')}`;
  private readonly key: { kid: string; sealed: string; bytes: Buffer };

  constructor(private readonly account: AccountDevice) {
    this.key = account.newDataKey();
  }

  get dataKey(): { kid: string; sealed: string } {
    return { kid: this.key.kid, sealed: this.key.sealed };
  }

  /** The body of `POST /v1/sessions`. */
  create(extra: object = {}): object {
    return { tag: this.tag, dataKey: this.dataKey, ...extra };
  }

  /** Metadata in ciphertext, bound to that version unless `svc` says otherwise. */
  metadata(version: number, svc: object = {}, kid = this.key.kid): string {
    const place = { a: this.account.accountId, s: this.tag, m: version, ...svc };
    return encryptContent(this.key.bytes, kid, place, '{"title":"a session"}');
  }

  /** The same with another protected header. */
  withHeader(header: object): string {
    const [, ...parts] = this.metadata(1).split('.');
    return [base64urlJson(header), ...parts].join('.');
  }

  header(extra: object = {}): object {
    const svc = { a: this.account.accountId, s: this.tag, m: 1 };
    return { alg: 'dir', enc: 'A256GCM', kid: this.key.kid, cty: 'application/json', svc, ...extra };
  }
}
