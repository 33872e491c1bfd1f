import { fingerprint, type EnrollmentPayload } from '../wire';
import type { AccountRecord, Data, DeviceRecord, PairingRequest, TokenRecord } from './api-records';
import { sealContentKey } from './content/content-key';
import { DeviceContent } from './content/device-content';
import { EnrollmentError, signEnrollment } from './enrollment';
import type { KeyStore } from './key-store';
import { fingerprintOf, parsePublicKey, publicPart } from './keys';
import { openDevice } from './open-device';
import { requestPairing } from './pairing';
import { generateRecoveryKey, recoveryKeys } from './recovery-key';
import type { ServiceAddress } from './service-address';
import type { SignedInDevice } from './signed-in-device';

const TOKENS = '/v1/account/external-tokens';

export interface NewToken {
  name: string;
  scopes: string[];
  expiresInDays?: number;
}

/**
 * A person's device: approves others, makes access tokens (device-api.md, Identity). Made by `signUp`, `recover` or
 * {@link AccountDevice.open}. Every call may throw ApiError, UnreachableError and, once revoked, DeviceRefusedError.
 */
export class AccountDevice {
  /** What it may read, and lets others read. */
  readonly content: DeviceContent;

  constructor(private readonly device: SignedInDevice) {
    this.content = new DeviceContent(device);
  }

  /**
   * The device of an existing key file.
   * @param options `url` is by default where the device last found the service
   * @throws Error when there is none
   */
  static async open(options: Partial<ServiceAddress> & { store: KeyStore }): Promise<AccountDevice> {
    return new AccountDevice(await openDevice('account', options));
  }

  get url(): string {
    return this.device.service.http.url;
  }

  get deviceId(): string | undefined {
    return this.device.state.deviceId;
  }

  /** What people compare: four groups of four characters. */
  get fingerprint(): string {
    return fingerprintOf(this.device.state.keys);
  }

  /** This device's own token, `svc_dev_…`, for calls of the device API that have no method here. */
  token(): Promise<string> {
    return this.device.token();
  }

  async account(): Promise<AccountRecord> {
    return (await this.device.call<Data<AccountRecord>>('GET', '/v1/account')).data;
  }

  /** What asks to join. The fingerprint is computed here, from the keys that an approval would sign. */
  async pairing(code: string): Promise<PairingRequest> {
    const { data } = await this.device.call<Data<PairingRequest>>('GET', codePath(code));
    const publicKey = parsePublicKey(data.publicKey, 'Ed25519');
    const encryptionKey = parsePublicKey(data.encryptionKey, 'X25519');
    return { ...data, publicKey, encryptionKey, fingerprint: fingerprint(publicKey, encryptionKey) };
  }

  /** Signs the enrollment of what {@link pairing} answered: of those keys, whatever the service says by now. */
  async approve(code: string, request: PairingRequest): Promise<void> {
    await this.device.token();
    const { account, contentKey, keys } = this.device.state;
    if (!account || !contentKey) throw new EnrollmentError('This device does not hold the content key.');
    const payload: EnrollmentPayload = {
      accountId: account.id,
      publicKey: request.publicKey,
      encryptionKey: request.encryptionKey,
      contentPublicKey: publicPart(contentKey.key),
      contentKeyVersion: contentKey.version,
    };
    if (request.kind === 'account') payload.sealedContentKey = await sealContentKey(contentKey, request.encryptionKey);
    const enrollment = await signEnrollment(payload, keys.signing);
    await this.device.call('POST', `${codePath(code)}/approve`, { enrollment });
  }

  /** Approves a device whose fingerprint is known for certain, because its keys were made here. */
  async approveOwn(code: string, expectedFingerprint: string): Promise<void> {
    const request = await this.pairing(code);
    if (request.fingerprint !== expectedFingerprint)
      throw new EnrollmentError('The service shows other keys under this code than were sent.');
    await this.approve(code, request);
  }

  async deny(code: string): Promise<void> {
    await this.device.call('POST', `${codePath(code)}/deny`);
  }

  /**
   * Adds one more account device, on paper only.
   * @returns the recovery key, which is stored nowhere
   */
  async addRecoveryKey(): Promise<string> {
    const recoveryKey = generateRecoveryKey();
    const keys = recoveryKeys(recoveryKey);
    const about = { kind: 'account', name: 'Recovery key', platform: 'paper' } as const;
    const { code } = await requestPairing(this.device.service, keys, about);
    await this.approveOwn(code, fingerprintOf(keys));
    return recoveryKey;
  }

  devices(): Promise<DeviceRecord[]> {
    return this.device.all<DeviceRecord>('/v1/devices');
  }

  async revokeDevice(id: string): Promise<void> {
    await this.device.call('DELETE', `/v1/devices/${encodeURIComponent(id)}`);
  }

  /** @returns the record and the token itself, `svc_pat_…`, which is never shown again */
  async createToken(token: NewToken): Promise<{ record: TokenRecord; token: string }> {
    const answer = await this.device.call<Data<TokenRecord> & { token: string }>('POST', TOKENS, token);
    return { record: answer.data, token: answer.token };
  }

  tokens(): Promise<TokenRecord[]> {
    return this.device.all<TokenRecord>(TOKENS);
  }

  async revokeToken(id: string): Promise<void> {
    await this.device.call('DELETE', `${TOKENS}/${encodeURIComponent(id)}`);
  }
}

/** As typed: case, spaces and the hyphen do not matter. */
function codePath(code: string): string {
  const letters = code.toUpperCase().replace(/[\s-]/g, '');
  return `/v1/pairings/code/${encodeURIComponent(`${letters.slice(0, 4)}-${letters.slice(4)}`)}`;
}
