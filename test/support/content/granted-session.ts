import { randomBytes } from 'node:crypto';
import type { JWK } from 'jose';
import { expectStatus, type ForeignAccountDevice, type ForeignDevice } from '../device/foreign-device';
import { decryptSealedJwe } from '../device/jwe-decryption';
import type { HttpResponse } from '../http-client';
import { encryptWithJose, sealWithJose } from './jose-keys';

type GrantResource = { sessionId: string } | { artifactId: string };

/** Data key of a device, which seals it for callers. */
export class CallerDataKey {
  readonly kid: string;
  readonly bytes: Uint8Array;

  /** @param key default: a new one */
  constructor(
    private readonly account: ForeignAccountDevice,
    key?: { kid: string; bytes: Uint8Array },
  ) {
    this.kid = key?.kid ?? `key-${randomBytes(4).toString('hex')}`;
    this.bytes = key?.bytes ?? new Uint8Array(randomBytes(32));
  }

  /** Opens the data key of a session that another device of the account hosts. */
  static async openSessionKey(account: ForeignAccountDevice, sessionId: string): Promise<CallerDataKey> {
    const session = expectStatus(await account.http.get(`/v1/sessions/${sessionId}`, account.token), 200).data;
    const { k, kid } = JSON.parse(decryptSealedJwe(session.dataKey.sealed, account.contentKey.privateKey).text);
    return new CallerDataKey(account, { kid, bytes: new Uint8Array(Buffer.from(k, 'base64url')) });
  }

  get jwk(): JWK {
    return { kty: 'oct', kid: this.kid, k: Buffer.from(this.bytes).toString('base64url') };
  }

  /** Member `dataKey` of a new session or artifact. */
  async sealForAccount(): Promise<{ kid: string; sealed: string }> {
    return { kid: this.kid, sealed: await sealWithJose({ ...this.account.contentKey.publicKey }, this.jwk) };
  }

  /** Returns the payload of a grant to the service, with the members of `terms` replaced. */
  buildGrantPayload(grantResource: GrantResource, terms: object = {}): object {
    return {
      key: this.jwk,
      aud: this.account.http.url,
      accountId: this.account.accountId,
      sessionId: null,
      artifactId: null,
      tokenId: null,
      appId: null,
      expiresAt: null,
      ...grantResource,
      ...terms,
    };
  }

  /** Grants access to the service. `payload` overrides members of the sealed payload. */
  async grantToService(grantResource: GrantResource, terms: object = {}, payload: object = {}): Promise<HttpResponse> {
    const recipient = expectStatus(
      await this.account.http.get('/v1/key-grants/recipient', this.account.token),
      200,
    ).data;
    const sealedKey = await sealWithJose(
      recipient.publicKey,
      this.buildGrantPayload(grantResource, { ...terms, ...payload }),
    );
    return this.postGrant(grantResource, { recipient: 'service', sealedKey, ...terms });
  }

  /** Grants access to a caller's own key. */
  async grantToReader(reader: JWK, grantResource: GrantResource, terms: object = {}): Promise<HttpResponse> {
    return this.postGrant(grantResource, {
      recipient: reader,
      sealedKey: await sealWithJose(reader, this.jwk),
      ...terms,
    });
  }

  postGrant(grantResource: GrantResource, body: object, by: ForeignDevice = this.account): Promise<HttpResponse> {
    return this.account.http.post(getGrantsPath(grantResource), by.token, body);
  }
}

export const getGrantsPath = (grantResource: GrantResource) =>
  'sessionId' in grantResource
    ? `/v1/sessions/${grantResource.sessionId}/key-grants`
    : `/v1/artifacts/${grantResource.artifactId}/key-grants`;

/** Session with its data key, encrypted with `jose`. */
export class GrantedSession {
  private constructor(
    readonly id: string,
    readonly tag: string,
    readonly key: CallerDataKey,
    private readonly account: ForeignAccountDevice,
    private readonly host: ForeignDevice,
  ) {}

  static async createSession(
    account: ForeignAccountDevice,
    host: ForeignDevice = account,
    key = new CallerDataKey(account),
    extra: object = {},
  ): Promise<GrantedSession> {
    const tag = `tag-${randomBytes(6).toString('hex')}`;
    const { id } = await account.createSession(host, { tag, dataKey: await key.sealForAccount(), ...extra });
    return new GrantedSession(id, tag, key, account, host);
  }

  get resource(): { sessionId: string } {
    return { sessionId: this.id };
  }

  /** Appends a message with this text and returns its id. */
  async appendMessage(content: Uint8Array | string, cty = 'text/plain'): Promise<string> {
    const localId = `m-${randomBytes(6).toString('hex')}`;
    const svc = { a: this.account.accountId, s: this.tag, l: localId, r: 'user' };
    const jwe = await encryptWithJose(this.key.bytes, { kid: this.key.kid, cty, svc }, content);
    const messages = [{ localId, role: 'user', content: jwe }];
    const path = `/v1/sessions/${this.id}/messages`;
    return expectStatus(await this.account.http.post(path, this.host.token, { messages }), 201).data[0].id as string;
  }

  /** @param version of the session afterwards */
  async writeMetadata(metadata: object, version = 2): Promise<void> {
    const svc = { a: this.account.accountId, s: this.tag, m: version };
    const protectedHeader = { kid: this.key.kid, cty: 'application/json', svc };
    const json = { metadata: await encryptWithJose(this.key.bytes, protectedHeader, JSON.stringify(metadata)) };
    const path = `/v1/sessions/${this.id}`;
    expectStatus(await this.account.http.request('PATCH', path, { token: this.host.token, json }), 200);
  }

  grantToService(terms: object = {}, payload: object = {}): Promise<HttpResponse> {
    return this.key.grantToService(this.resource, terms, payload);
  }

  readMessage(messageId: string, token: string, query = ''): Promise<HttpResponse> {
    const path = `/external/v1/sessions/${this.id}/messages/${messageId}/content${query}`;
    return this.account.http.get(path, token);
  }
}

/** Artifact with its own data key, or in a session with the session's data key. */
export class GrantedArtifact {
  private constructor(
    readonly id: string,
    private readonly tag: string,
    readonly key: CallerDataKey,
    private readonly account: ForeignAccountDevice,
  ) {}

  static async createArtifact(
    account: ForeignAccountDevice,
    content: Uint8Array | string,
    {
      session,
      key = session?.key ?? new CallerDataKey(account),
      cty = 'text/plain',
      tag = `art-${randomBytes(6).toString('hex')}`,
    }: {
      session?: GrantedSession;
      key?: CallerDataKey;
      cty?: string;
      tag?: string;
    } = {},
  ): Promise<GrantedArtifact> {
    const svc = { a: account.accountId, t: tag, v: 1 };
    const jwe = await encryptWithJose(key.bytes, { kid: key.kid, cty, svc }, content);
    const body = {
      tag,
      mediaType: cty,
      dataKey: await key.sealForAccount(),
      content: jwe,
      sessionId: session?.id,
    };
    const { id } = expectStatus(await account.http.post('/v1/artifacts', account.token, body), 201).data;
    return new GrantedArtifact(id as string, tag, key, account);
  }

  /** Replaces the content by a new version. */
  async replaceContent(content: Uint8Array | string, expectedVersion: number): Promise<HttpResponse> {
    const svc = { a: this.account.accountId, t: this.tag, v: expectedVersion + 1 };
    const jwe = await encryptWithJose(this.key.bytes, { kid: this.key.kid, svc }, content);
    return this.account.http.request('PUT', `/v1/artifacts/${this.id}/content`, {
      token: this.account.token,
      json: { content: jwe, expectedVersion },
    });
  }

  get resource(): { artifactId: string } {
    return { artifactId: this.id };
  }

  grantToService(terms: object = {}, payload: object = {}): Promise<HttpResponse> {
    return this.key.grantToService(this.resource, terms, payload);
  }

  readContent(token: string, query = '', headers: Record<string, string> = {}): Promise<HttpResponse> {
    return this.account.http.get(`/external/v1/artifacts/${this.id}/content${query}`, token, { headers });
  }
}
