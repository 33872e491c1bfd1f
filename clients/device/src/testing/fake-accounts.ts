import { randomBytes, verify, createPublicKey } from 'node:crypto';
import { computeFingerprint, computeThumbprint, type EncryptionKey, type SigningKey } from '@external-api/protocol';
import type { ClientDeviceKind } from '../api-resources';

/** Error response of the fake service. */
export class FakeServiceError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly extra: object = {},
  ) {
    super(`${status} ${code}`);
  }
}

/** The parts of request bodies that the fake service reads. */
export interface FakeRequestBody {
  kind: ClientDeviceKind;
  name: string;
  publicKey: SigningKey;
  encryptionKey: EncryptionKey;
  device: Pick<FakeRequestBody, 'name' | 'publicKey' | 'encryptionKey'>;
  username: string;
  contentPublicKey: EncryptionKey;
  challenge: string;
  signature: string;
  enrollment: string;
  messages: { localId: string; role: string; content: string; turnLocalId?: string; imported?: boolean }[];
  tag: string;
  sessionId: string;
  mediaType: string;
  content: string;
}

interface FakeDevice {
  id: string;
  kind: ClientDeviceKind;
  name: string;
  publicKey: SigningKey;
  encryptionKey: EncryptionKey;
  enrollment: string | null;
  revoked: boolean;
}

interface FakePairing {
  id: string;
  code: string;
  state: 'pending' | 'approved' | 'denied' | 'expired';
  accountUsername: string | null;
  requestedDevice: {
    kind: ClientDeviceKind;
    name: string;
    publicKey: SigningKey;
    encryptionKey: EncryptionKey;
  };
}

/** Device API of one account. Tests change its fields to simulate a dishonest service. */
export class FakeAccounts {
  url = '';
  account: { id: string; username: string; contentPublicKey: EncryptionKey } | undefined;
  readonly devices: FakeDevice[] = [];
  readonly pairings: FakePairing[] = [];
  readonly tokens = new Map<string, FakeDevice>();
  private readonly challenges = new Map<string, string>();
  private lastSerial = 0;

  createChallenge({ publicKey, encryptionKey }: FakeRequestBody) {
    const challenge = randomBytes(16).toString('base64url');
    const thumbprints = [publicKey, encryptionKey].filter(Boolean).map((key) => computeThumbprint(key));
    const message = [`host: ${this.url}`, `challenge: ${challenge}`, ...thumbprints].join('\n');
    this.challenges.set(challenge, message);
    return { challenge, message, expiresAt: Date.now() + 120_000 };
  }

  signUp(fakeRequestBody: FakeRequestBody) {
    const { publicKey, encryptionKey, name } = fakeRequestBody.device;
    this.verifyProof(fakeRequestBody, publicKey);
    if (this.account) throw new FakeServiceError(409, 'conflict');
    const { username, contentPublicKey } = fakeRequestBody;
    this.account = { id: 'acc_1', username, contentPublicKey };
    return this.createSignInResult(this.addDevice({ kind: 'account', name, publicKey, encryptionKey }, null));
  }

  signIn(fakeRequestBody: FakeRequestBody) {
    this.verifyProof(fakeRequestBody, fakeRequestBody.publicKey);
    const device = this.devices.find((candidate) => candidate.publicKey.x === fakeRequestBody.publicKey.x);
    if (!device) throw new FakeServiceError(401, 'invalid_token', { reason: 'unknown' });
    if (device.revoked) throw new FakeServiceError(401, 'invalid_token', { reason: 'revoked' });
    return this.createSignInResult(device);
  }

  createPairing(fakeRequestBody: FakeRequestBody) {
    this.verifyProof(fakeRequestBody, fakeRequestBody.publicKey);
    const { kind, name, publicKey, encryptionKey } = fakeRequestBody;
    const id = `pair_${++this.lastSerial}`;
    const code = `ABCD-${2222 + this.lastSerial}`;
    const requestedDevice = { kind, name, publicKey, encryptionKey };
    this.pairings.push({ id, code, state: 'pending', accountUsername: null, requestedDevice });
    return { id, code, expiresAt: Date.now() + 600_000 };
  }

  getPairing(key: string): FakePairing {
    const found = this.pairings.find(({ id, code }) => id === key || code === key);
    if (!found) throw new FakeServiceError(404, 'not_found');
    return found;
  }

  approvePairing(code: string, enrollment: string): void {
    const fakePairing = this.getPairing(code);
    this.addDevice(fakePairing.requestedDevice, enrollment);
    fakePairing.state = 'approved';
    fakePairing.accountUsername = this.account?.username ?? null;
  }

  authenticateDevice(token: string | undefined): FakeDevice {
    const device = this.tokens.get(token ?? '');
    if (!device || device.revoked) throw new FakeServiceError(401, 'invalid_token');
    return device;
  }

  toDeviceResource({ id, kind, name, publicKey, encryptionKey }: FakeDevice) {
    const deviceFingerprint = computeFingerprint(publicKey, encryptionKey);
    return { id, kind, name, state: 'offline', fingerprint: deviceFingerprint, lastSeenAt: null };
  }

  private addDevice(requestedDevice: FakePairing['requestedDevice'], enrollment: string | null): FakeDevice {
    const device = { ...requestedDevice, id: `dev_${++this.lastSerial}`, enrollment, revoked: false };
    this.devices.push(device);
    return device;
  }

  private createSignInResult(fakeDevice: FakeDevice) {
    const token = `svc_dev_${randomBytes(12).toString('hex')}`;
    this.tokens.set(token, fakeDevice);
    const tokenExpiresAt = Date.now() + 30 * 86_400_000;
    const { enrollment } = fakeDevice;
    return {
      account: this.account,
      device: this.toDeviceResource(fakeDevice),
      token,
      tokenExpiresAt,
      enrollment,
    };
  }

  private verifyProof({ challenge, signature }: FakeRequestBody, publicKey: SigningKey): void {
    const message = this.challenges.get(challenge);
    this.challenges.delete(challenge);
    const key = createPublicKey({ key: { ...publicKey }, format: 'jwk' });
    if (!message || !verify(null, Buffer.from(message), key, Buffer.from(signature, 'base64url')))
      throw new FakeServiceError(401, 'invalid_token', { reason: 'unknown' });
  }
}
