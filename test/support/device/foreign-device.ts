import { randomBytes } from 'node:crypto';
import { HttpClient, type Answer } from '../http-client';
import { newKeyPair, signJws, signText, type Jwk, type KeyPair } from './keys';
import { sealTo } from './seal';

/** A device in the hands of a test, written against device-api.md alone: nothing of the service is imported. */
export class ForeignDevice {
  readonly signing = newKeyPair('Ed25519');
  readonly encryption = newKeyPair('X25519');
  token = '';
  id = '';

  constructor(
    readonly http: HttpClient,
    readonly name = 'a foreign device',
  ) {}

  get keys(): { publicKey: Jwk; encryptionKey: Jwk } {
    return { publicKey: this.signing.publicKey, encryptionKey: this.encryption.publicKey };
  }

  /** Asks for a challenge over these keys and signs it. */
  async signedChallenge(keys: object = this.keys): Promise<{ challenge: string; signature: string }> {
    const { data } = ok(await this.http.post('/v1/auth/challenge', undefined, keys), 201);
    return { challenge: data.challenge, signature: signText(this.signing.privateKey, data.message) };
  }

  async signIn(): Promise<any> {
    const { publicKey } = this.keys;
    const proof = await this.signedChallenge({ publicKey });
    const { data } = ok(await this.http.post('/v1/auth/sign-in', undefined, { publicKey, ...proof }), 200);
    this.token = data.token;
    this.id = data.device.id;
    return data;
  }

  async requestPairing(kind: 'account' | 'machine'): Promise<{ id: string; code: string }> {
    const body = {
      ...this.keys,
      kind,
      name: this.name,
      platform: 'linux',
      ...(await this.signedChallenge()),
    };
    return ok(await this.http.post('/v1/pairings', undefined, body), 201).data;
  }
}

/** An account's first device: it signs up, makes tokens and approves others. */
export class AccountDevice extends ForeignDevice {
  readonly contentKey: KeyPair = newKeyPair('X25519');
  accountId = '';
  username = '';

  static async signUp(http: HttpClient, username = `user-${randomBytes(6).toString('hex')}`): Promise<AccountDevice> {
    const device = new AccountDevice(http, 'first device');
    const { data } = ok(await device.trySignUp(username), 201);
    device.token = data.token;
    device.id = data.device.id;
    device.accountId = data.account.id;
    device.username = username;
    return device;
  }

  async trySignUp(username: string, extra: object = {}): Promise<Answer> {
    return this.http.post('/v1/accounts', undefined, {
      username,
      device: { ...this.keys, name: this.name, platform: 'linux' },
      contentPublicKey: this.contentKey.publicKey,
      ...(await this.signedChallenge()),
      ...extra,
    });
  }

  enrollmentFor(device: Pick<ForeignDevice, 'keys'>, extra: object = {}): string {
    return signJws(this.signing, {
      accountId: this.accountId,
      ...device.keys,
      contentPublicKey: this.contentKey.publicKey,
      contentKeyVersion: 1,
      ...extra,
    });
  }

  /** Pairs another device into the account and signs it in. */
  async adopt(kind: 'account' | 'machine', name?: string): Promise<ForeignDevice> {
    const device = new ForeignDevice(this.http, name ?? `a ${kind} device`);
    const { code } = await device.requestPairing(kind);
    const enrollment = this.enrollmentFor(device);
    ok(await this.http.post(`/v1/pairings/code/${code}/approve`, this.token, { enrollment }), 204);
    await device.signIn();
    return device;
  }

  async createToken(scopes: string[], extra: object = {}): Promise<{ id: string; token: string }> {
    const body = { name: 'a test token', scopes, ...extra };
    const answer = ok(await this.http.post('/v1/account/external-tokens', this.token, body), 201);
    return { id: answer.data.id, token: answer.token };
  }

  /** A data key as `POST /v1/sessions` takes it. */
  newDataKey(): { kid: string; sealed: string; bytes: Buffer } {
    const bytes = randomBytes(32);
    const kid = `key-${randomBytes(4).toString('hex')}`;
    const jwk = JSON.stringify({ kty: 'oct', kid, k: bytes.toString('base64url') });
    return { kid, sealed: sealTo(this.contentKey.publicKey, jwk), bytes };
  }

  async openSession(by: ForeignDevice, extra: object = {}): Promise<any> {
    const { kid, sealed } = this.newDataKey();
    const body = { tag: `tag-${randomBytes(6).toString('hex')}`, dataKey: { kid, sealed }, ...extra };
    return ok(await this.http.post('/v1/sessions', by.token, body), 201).data;
  }
}

/** The answer's body when its status is as expected, else an error that shows all of it. */
export function ok(answer: Answer, status: number): any {
  if (answer.status === status) return answer.body;
  throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}
