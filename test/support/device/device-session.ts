import { randomBytes } from 'node:crypto';
import { expectStatus, type ForeignAccountDevice, type ForeignDevice } from './foreign-device';
import { encryptContentJwe } from './jwe-encryption';

/** Session with its data key, as stored by its host device. */
export class DeviceSession {
  private constructor(
    readonly id: string,
    readonly tag: string,
    private readonly accountId: string,
    private readonly host: ForeignDevice,
    readonly kid: string,
    private readonly key: Buffer,
  ) {}

  static async createSession(account: ForeignAccountDevice, host: ForeignDevice = account): Promise<DeviceSession> {
    const { kid, sealed, bytes } = account.createDataKey();
    const tag = `tag-${randomBytes(6).toString('hex')}`;
    const { id } = await account.createSession(host, { tag, dataKey: { kid, sealed } });
    return new DeviceSession(id, tag, account.accountId, host, kid, bytes);
  }

  /** Builds a message for `POST …/messages`. `svc` names its place unless the test overrides it. */
  encryptMessage(localId: string, role = 'user', text = `text of ${localId}`, svc?: object) {
    const binding = svc ?? { a: this.accountId, s: this.tag, l: localId, r: role };
    return { localId, role, content: encryptContentJwe(this.key, this.kid, binding, text) };
  }

  encryptMetadata(version: number, text = '{}'): string {
    return encryptContentJwe(this.key, this.kid, { a: this.accountId, s: this.tag, m: version }, text);
  }

  postMessages(messages: unknown[], by: ForeignDevice = this.host) {
    return this.host.http.post(`/v1/sessions/${this.id}/messages`, by.token, { messages });
  }

  async appendMessages(...localIds: string[]): Promise<{ id: string; seq: number; localId: string }[]> {
    return expectStatus(await this.postMessages(localIds.map((localId) => this.encryptMessage(localId))), 201).data;
  }
}
