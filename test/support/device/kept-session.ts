import { randomBytes } from 'node:crypto';
import { ok, type AccountDevice, type ForeignDevice } from './foreign-device';
import { encryptContent } from './seal';

/** A session with its data key, as the device that hosts it keeps both. */
export class KeptSession {
  private constructor(
    readonly id: string,
    readonly tag: string,
    private readonly accountId: string,
    private readonly host: ForeignDevice,
    readonly kid: string,
    private readonly key: Buffer,
  ) {}

  static async open(account: AccountDevice, host: ForeignDevice = account): Promise<KeptSession> {
    const { kid, sealed, bytes } = account.newDataKey();
    const tag = `tag-${randomBytes(6).toString('hex')}`;
    const { id } = await account.openSession(host, { tag, dataKey: { kid, sealed } });
    return new KeptSession(id, tag, account.accountId, host, kid, bytes);
  }

  /** A message as `POST …/messages` takes it; `svc` is bound to its place unless the test says otherwise. */
  message(localId: string, role = 'user', text = `text of ${localId}`, svc?: object) {
    const place = svc ?? { a: this.accountId, s: this.tag, l: localId, r: role };
    return { localId, role, content: encryptContent(this.key, this.kid, place, text) };
  }

  metadata(version: number, text = '{}'): string {
    return encryptContent(this.key, this.kid, { a: this.accountId, s: this.tag, m: version }, text);
  }

  post(messages: unknown[], by: ForeignDevice = this.host) {
    return this.host.http.post(`/v1/sessions/${this.id}/messages`, by.token, { messages });
  }

  async append(...localIds: string[]): Promise<{ id: string; seq: number; localId: string }[]> {
    return ok(await this.post(localIds.map((localId) => this.message(localId))), 201).data;
  }
}
