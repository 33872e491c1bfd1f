import { randomBytes } from 'node:crypto';
import { HttpClient, type HttpResponse } from '../http-client';
import { createForeignKeyPair, signJws, signText, type ForeignJwk, type ForeignKeyPair } from './keys';
import { sealToRecipient } from './jwe-encryption';

/**
 * Device of a test, written from docs/protocol/device-api.md alone. It imports nothing of the service.
 */
export class ForeignDevice {
  readonly signing = createForeignKeyPair('Ed25519');
  readonly encryption = createForeignKeyPair('X25519');
  token = '';
  id = '';

  constructor(
    readonly http: HttpClient,
    readonly name = 'a foreign device',
    readonly platform = 'linux',
  ) {}

  get keys(): { publicKey: ForeignJwk; encryptionKey: ForeignJwk } {
    return { publicKey: this.signing.publicKey, encryptionKey: this.encryption.publicKey };
  }

  /** Requests a challenge for these keys and signs it. */
  async signChallenge(
    keys: object = this.keys,
    headers: Record<string, string> = {},
  ): Promise<{ challenge: string; signature: string }> {
    const { data } = expectStatus(await this.http.post('/v1/auth/challenge', undefined, keys, { headers }), 201);
    return { challenge: data.challenge, signature: signText(this.signing.privateKey, data.message) };
  }

  async signIn(): Promise<any> {
    const { publicKey } = this.keys;
    const proof = await this.signChallenge({ publicKey });
    const { data } = expectStatus(await this.http.post('/v1/auth/sign-in', undefined, { publicKey, ...proof }), 200);
    this.token = data.token;
    this.id = data.device.id;
    return data;
  }

  async requestPairing(kind: 'account' | 'machine'): Promise<{ id: string; code: string }> {
    const body = {
      ...this.keys,
      kind,
      name: this.name,
      platform: this.platform,
      ...(await this.signChallenge()),
    };
    return expectStatus(await this.http.post('/v1/pairings', undefined, body), 201).data;
  }
}

/** First device of an account, which signs up, creates tokens and approves other devices. */
export class ForeignAccountDevice extends ForeignDevice {
  readonly contentKey: ForeignKeyPair = createForeignKeyPair('X25519');
  accountId = '';
  username = '';

  static async signUp(
    http: HttpClient,
    username = `user-${randomBytes(6).toString('hex')}`,
  ): Promise<ForeignAccountDevice> {
    const device = new ForeignAccountDevice(http, 'first device');
    const { data } = expectStatus(await device.requestSignUp(username), 201);
    device.token = data.token;
    device.id = data.device.id;
    device.accountId = data.account.id;
    device.username = username;
    return device;
  }

  async requestSignUp(username: string, extra: object = {}): Promise<HttpResponse> {
    return this.http.post('/v1/accounts', undefined, {
      username,
      device: { ...this.keys, name: this.name, platform: 'linux' },
      contentPublicKey: this.contentKey.publicKey,
      ...(await this.signChallenge()),
      ...extra,
    });
  }

  createEnrollment(device: Pick<ForeignDevice, 'keys'>, extra: object = {}): string {
    return signJws(this.signing, {
      accountId: this.accountId,
      ...device.keys,
      contentPublicKey: this.contentKey.publicKey,
      contentKeyVersion: 1,
      ...extra,
    });
  }

  /** Adds another device to the account and signs it in. */
  async pairDevice(kind: 'account' | 'machine', name?: string): Promise<ForeignDevice> {
    const device = new ForeignDevice(this.http, name ?? `a ${kind} device`);
    const { code } = await device.requestPairing(kind);
    const enrollment = this.createEnrollment(device);
    expectStatus(await this.http.post(`/v1/pairings/code/${code}/approve`, this.token, { enrollment }), 204);
    await device.signIn();
    return device;
  }

  async createToken(scopes: string[], extra: object = {}): Promise<{ id: string; token: string }> {
    const body = { name: 'a test token', scopes, ...extra };
    const answer = expectStatus(await this.http.post('/v1/account/external-tokens', this.token, body), 201);
    return { id: answer.data.id, token: answer.token };
  }

  /** Creates a data key for `POST /v1/sessions`. */
  createDataKey(): { kid: string; sealed: string; bytes: Buffer } {
    const bytes = randomBytes(32);
    const kid = `key-${randomBytes(4).toString('hex')}`;
    const jwk = JSON.stringify({ kty: 'oct', kid, k: bytes.toString('base64url') });
    return { kid, sealed: sealToRecipient(this.contentKey.publicKey, jwk), bytes };
  }

  async createSession(by: ForeignDevice, extra: object = {}): Promise<any> {
    const { kid, sealed } = this.createDataKey();
    const body = { tag: `tag-${randomBytes(6).toString('hex')}`, dataKey: { kid, sealed }, ...extra };
    return expectStatus(await this.http.post('/v1/sessions', by.token, body), 201).data;
  }
}

/** Returns the response's body if it has the expected status. Throws an error with the body otherwise. */
export function expectStatus(httpResponse: HttpResponse, status: number): any {
  if (httpResponse.status === status) return httpResponse.body;
  throw new Error(`expected ${status}, got ${httpResponse.status}: ${JSON.stringify(httpResponse.body)}`);
}
