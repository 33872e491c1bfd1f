import { randomBytes } from 'node:crypto';
import type { JWK } from 'jose';
import { ok, type AccountDevice, type ForeignDevice } from '../device/foreign-device';
import type { Answer } from '../http-client';
import { encrypt, seal } from './jose-keys';

type Resource = { sessionId: string } | { artifactId: string };

/** A data key in the hands of a device, which seals it for callers. */
export class DataKey {
  readonly kid = `key-${randomBytes(4).toString('hex')}`;
  readonly bytes = new Uint8Array(randomBytes(32));

  constructor(private readonly account: AccountDevice) {}

  get jwk(): JWK {
    return { kty: 'oct', kid: this.kid, k: Buffer.from(this.bytes).toString('base64url') };
  }

  /** As a session or an artifact is created with. */
  async dataKey(): Promise<{ kid: string; sealed: string }> {
    return { kid: this.kid, sealed: await seal({ ...this.account.contentKey.publicKey }, this.jwk) };
  }

  /** What a grant to the service seals, each member replaced by what `terms` says. */
  payload(resource: Resource, terms: object = {}): object {
    return {
      key: this.jwk,
      aud: this.account.http.url,
      accountId: this.account.accountId,
      sessionId: null,
      artifactId: null,
      tokenId: null,
      appId: null,
      expiresAt: null,
      ...resource,
      ...terms,
    };
  }

  /** Grants to the service: what is sealed is what is asked, unless `payload` departs from it. */
  async grant(resource: Resource, terms: object = {}, payload: object = {}): Promise<Answer> {
    const recipient = ok(await this.account.http.get('/v1/key-grants/recipient', this.account.token), 200).data;
    const sealedKey = await seal(recipient.publicKey, this.payload(resource, { ...terms, ...payload }));
    return this.post(resource, { recipient: 'service', sealedKey, ...terms });
  }

  /** Grants to a caller's own key. */
  async grantTo(reader: JWK, resource: Resource, terms: object = {}): Promise<Answer> {
    return this.post(resource, { recipient: reader, sealedKey: await seal(reader, this.jwk), ...terms });
  }

  post(resource: Resource, body: object, by: ForeignDevice = this.account): Promise<Answer> {
    return this.account.http.post(grantsPath(resource), by.token, body);
  }
}

export const grantsPath = (resource: Resource) =>
  'sessionId' in resource
    ? `/v1/sessions/${resource.sessionId}/key-grants`
    : `/v1/artifacts/${resource.artifactId}/key-grants`;

/** A session with its data key, encrypted with `jose`. */
export class GrantedSession {
  private constructor(
    readonly id: string,
    readonly tag: string,
    readonly key: DataKey,
    private readonly account: AccountDevice,
    private readonly host: ForeignDevice,
  ) {}

  static async open(
    account: AccountDevice,
    host: ForeignDevice = account,
    key = new DataKey(account),
  ): Promise<GrantedSession> {
    const tag = `tag-${randomBytes(6).toString('hex')}`;
    const { id } = await account.openSession(host, { tag, dataKey: await key.dataKey() });
    return new GrantedSession(id, tag, key, account, host);
  }

  get resource(): { sessionId: string } {
    return { sessionId: this.id };
  }

  /** The id of a new message that says this. */
  async say(content: Uint8Array | string, cty = 'text/plain'): Promise<string> {
    const localId = `m-${randomBytes(6).toString('hex')}`;
    const svc = { a: this.account.accountId, s: this.tag, l: localId, r: 'user' };
    const jwe = await encrypt(this.key.bytes, { kid: this.key.kid, cty, svc }, content);
    const messages = [{ localId, role: 'user', content: jwe }];
    const path = `/v1/sessions/${this.id}/messages`;
    return ok(await this.account.http.post(path, this.host.token, { messages }), 201).data[0].id as string;
  }

  grant(terms: object = {}, payload: object = {}): Promise<Answer> {
    return this.key.grant(this.resource, terms, payload);
  }

  read(messageId: string, token: string, query = ''): Promise<Answer> {
    const path = `/external/v1/sessions/${this.id}/messages/${messageId}/content${query}`;
    return this.account.http.get(path, token);
  }
}

/** An artifact, in a session with the session's data key or by itself. */
export class GrantedArtifact {
  private constructor(
    readonly id: string,
    private readonly tag: string,
    readonly key: DataKey,
    private readonly account: AccountDevice,
  ) {}

  static async keep(
    account: AccountDevice,
    content: Uint8Array | string,
    {
      session,
      key = session?.key ?? new DataKey(account),
      cty = 'text/plain',
    }: {
      session?: GrantedSession;
      key?: DataKey;
      cty?: string;
    } = {},
  ): Promise<GrantedArtifact> {
    const tag = `art-${randomBytes(6).toString('hex')}`;
    const svc = { a: account.accountId, t: tag, v: 1 };
    const jwe = await encrypt(key.bytes, { kid: key.kid, cty, svc }, content);
    const body = { tag, mediaType: cty, dataKey: await key.dataKey(), content: jwe, sessionId: session?.id };
    const { id } = ok(await account.http.post('/v1/artifacts', account.token, body), 201).data;
    return new GrantedArtifact(id as string, tag, key, account);
  }

  /** Its next version. */
  async replace(content: Uint8Array | string, expectedVersion: number): Promise<Answer> {
    const svc = { a: this.account.accountId, t: this.tag, v: expectedVersion + 1 };
    const jwe = await encrypt(this.key.bytes, { kid: this.key.kid, svc }, content);
    return this.account.http.request('PUT', `/v1/artifacts/${this.id}/content`, {
      token: this.account.token,
      json: { content: jwe, expectedVersion },
    });
  }

  get resource(): { artifactId: string } {
    return { artifactId: this.id };
  }

  grant(terms: object = {}, payload: object = {}): Promise<Answer> {
    return this.key.grant(this.resource, terms, payload);
  }

  read(token: string, query = '', headers: Record<string, string> = {}): Promise<Answer> {
    return this.account.http.get(`/external/v1/artifacts/${this.id}/content${query}`, token, { headers });
  }
}
