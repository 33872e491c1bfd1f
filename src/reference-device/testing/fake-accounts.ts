import { randomBytes, verify, createPublicKey } from 'node:crypto';
import { fingerprint, thumbprint, type EncryptionKey, type SigningKey } from '../../wire';
import type { DeviceKind } from '../api-records';

/** An error answer of the fake service. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly extra: object = {},
  ) {
    super(`${status} ${code}`);
  }
}

/** Whatever body, as far as the fake reads it. */
export interface Body {
  kind: DeviceKind;
  name: string;
  publicKey: SigningKey;
  encryptionKey: EncryptionKey;
  device: Pick<Body, 'name' | 'publicKey' | 'encryptionKey'>;
  username: string;
  contentPublicKey: EncryptionKey;
  challenge: string;
  signature: string;
  enrollment: string;
  messages: { localId: string; role: string; content: string }[];
}

interface Device {
  id: string;
  kind: DeviceKind;
  name: string;
  publicKey: SigningKey;
  encryptionKey: EncryptionKey;
  enrollment: string | null;
  revoked: boolean;
}

interface Pairing {
  id: string;
  code: string;
  state: 'pending' | 'approved' | 'denied' | 'expired';
  accountUsername: string | null;
  asks: { kind: DeviceKind; name: string; publicKey: SigningKey; encryptionKey: EncryptionKey };
}

/** One account's worth of the device API, honest unless a test meddles with its fields. */
export class FakeAccounts {
  url = '';
  account: { id: string; username: string; contentPublicKey: EncryptionKey } | undefined;
  readonly devices: Device[] = [];
  readonly pairings: Pairing[] = [];
  readonly tokens = new Map<string, Device>();
  private readonly challenges = new Map<string, string>();
  private serial = 0;

  challenge({ publicKey, encryptionKey }: Body) {
    const challenge = randomBytes(16).toString('base64url');
    const prints = [publicKey, encryptionKey].filter(Boolean).map((key) => thumbprint(key));
    const message = [`host: ${this.url}`, `challenge: ${challenge}`, ...prints].join('\n');
    this.challenges.set(challenge, message);
    return { challenge, message, expiresAt: Date.now() + 120_000 };
  }

  signUp(body: Body) {
    const { publicKey, encryptionKey, name } = body.device;
    this.prove(body, publicKey);
    if (this.account) throw new Problem(409, 'conflict');
    const { username, contentPublicKey } = body;
    this.account = { id: 'acc_1', username, contentPublicKey };
    return this.signedIn(this.add({ kind: 'account', name, publicKey, encryptionKey }, null));
  }

  signIn(body: Body) {
    this.prove(body, body.publicKey);
    const device = this.devices.find((each) => each.publicKey.x === body.publicKey.x);
    if (!device) throw new Problem(401, 'invalid_token', { reason: 'unknown' });
    if (device.revoked) throw new Problem(401, 'invalid_token', { reason: 'revoked' });
    return this.signedIn(device);
  }

  pair(body: Body) {
    this.prove(body, body.publicKey);
    const { kind, name, publicKey, encryptionKey } = body;
    const id = `pair_${++this.serial}`;
    const code = `ABCD-${2222 + this.serial}`;
    const asks = { kind, name, publicKey, encryptionKey };
    this.pairings.push({ id, code, state: 'pending', accountUsername: null, asks });
    return { id, code, expiresAt: Date.now() + 600_000 };
  }

  pairing(key: string): Pairing {
    const found = this.pairings.find(({ id, code }) => id === key || code === key);
    if (!found) throw new Problem(404, 'not_found');
    return found;
  }

  approve(code: string, enrollment: string): void {
    const pairing = this.pairing(code);
    this.add(pairing.asks, enrollment);
    pairing.state = 'approved';
    pairing.accountUsername = this.account?.username ?? null;
  }

  deviceOf(token: string | undefined): Device {
    const device = this.tokens.get(token ?? '');
    if (!device || device.revoked) throw new Problem(401, 'invalid_token');
    return device;
  }

  record({ id, kind, name, publicKey, encryptionKey }: Device) {
    const print = fingerprint(publicKey, encryptionKey);
    return { id, kind, name, state: 'offline', fingerprint: print, lastSeenAt: null };
  }

  private add(asks: Pairing['asks'], enrollment: string | null): Device {
    const device = { ...asks, id: `dev_${++this.serial}`, enrollment, revoked: false };
    this.devices.push(device);
    return device;
  }

  private signedIn(device: Device) {
    const token = `svc_dev_${randomBytes(12).toString('hex')}`;
    this.tokens.set(token, device);
    const tokenExpiresAt = Date.now() + 30 * 86_400_000;
    const { enrollment } = device;
    return { account: this.account, device: this.record(device), token, tokenExpiresAt, enrollment };
  }

  private prove({ challenge, signature }: Body, publicKey: SigningKey): void {
    const message = this.challenges.get(challenge);
    this.challenges.delete(challenge);
    const key = createPublicKey({ key: { ...publicKey }, format: 'jwk' });
    if (!message || !verify(null, Buffer.from(message), key, Buffer.from(signature, 'base64url')))
      throw new Problem(401, 'invalid_token', { reason: 'unknown' });
  }
}
