import { computeFingerprint, type EnrollmentPayload } from '@external-api/protocol';
import type {
  AccountResource,
  AppResource,
  DataEnvelope,
  DeviceResource,
  PairingRequest,
  TokenResource,
} from './api-resources';
import { sealContentKey } from './content/content-key';
import { DeviceContentClient } from './content/device-content-client';
import { EnrollmentError, signEnrollment } from './enrollment';
import type { KeyStore } from './key-store';
import { computeDeviceFingerprint, parsePublicKey, toPublicKey } from './keys';
import { openDevice } from './open-device';
import { requestPairing } from './pairing';
import { generateRecoveryKey, deriveRecoveryKeys } from './recovery-key';
import type { ServiceAddress } from './service-address';
import type { SignedInDevice } from './signed-in-device';

const TOKENS_PATH = '/v1/account/external-tokens';
const APPS_PATH = '/v1/developer/apps';

export interface CreateTokenOptions {
  name: string;
  scopes: string[];
  /** Machines that the token is limited to; absent for all. */
  machineIds?: string[];
  expiresInDays?: number;
}

export interface CreateAppOptions {
  name: string;
  redirectUris: string[];
  description?: string;
  homepageUrl?: string;
}

/**
 * A person's device: approves other devices and creates access tokens (docs/protocol/device-api.md#identity). Created
 * by `signUp`, `recoverAccount` or {@link AccountDevice.open}. Every call may throw ApiResponseError, UnreachableError
 * and, after a revocation, DeviceRejectedError.
 */
export class AccountDevice {
  /** Sessions, artifacts and key grants of the account. */
  readonly content: DeviceContentClient;

  constructor(private readonly device: SignedInDevice) {
    this.content = new DeviceContentClient(device);
  }

  /**
   * Opens the device of an existing key file.
   * @param options `url` defaults to the address that the device used last
   * @throws Error when the store holds no account device
   */
  static async open(options: Partial<ServiceAddress> & { store: KeyStore }): Promise<AccountDevice> {
    return new AccountDevice(await openDevice('account', options));
  }

  get url(): string {
    return this.device.remoteService.http.url;
  }

  get deviceId(): string | undefined {
    return this.device.state.deviceId;
  }

  /** Fingerprint that people compare: four groups of four characters. */
  get fingerprint(): string {
    return computeDeviceFingerprint(this.device.state.keys);
  }

  /** Returns this device's own token, `svc_dev_…`, for device API calls without a method here. */
  getToken(): Promise<string> {
    return this.device.getToken();
  }

  async getAccount(): Promise<AccountResource> {
    return (await this.device.callApi<DataEnvelope<AccountResource>>('GET', '/v1/account')).data;
  }

  /** Returns the device that asks to join. Its fingerprint is computed here from the keys that an approval signs. */
  async getPairingRequest(code: string): Promise<PairingRequest> {
    const { data } = await this.device.callApi<DataEnvelope<PairingRequest>>('GET', getPairingPath(code));
    const publicKey = parsePublicKey(data.publicKey, 'Ed25519');
    const encryptionKey = parsePublicKey(data.encryptionKey, 'X25519');
    return { ...data, publicKey, encryptionKey, fingerprint: computeFingerprint(publicKey, encryptionKey) };
  }

  /** Signs an enrollment of the keys in `request`, even if the service presents other keys by now. */
  async approvePairing(code: string, request: PairingRequest): Promise<void> {
    await this.device.getToken();
    const { account, contentKey, keys } = this.device.state;
    if (!account || !contentKey) throw new EnrollmentError('This device does not have the content key.');
    const payload: EnrollmentPayload = {
      accountId: account.id,
      publicKey: request.publicKey,
      encryptionKey: request.encryptionKey,
      contentPublicKey: toPublicKey(contentKey.key),
      contentKeyVersion: contentKey.version,
    };
    if (request.kind === 'account') payload.sealedContentKey = await sealContentKey(contentKey, request.encryptionKey);
    const enrollment = await signEnrollment(payload, keys.signing);
    await this.device.callApi('POST', `${getPairingPath(code)}/approve`, { enrollment });
  }

  /** Approves a device whose fingerprint is known, because its keys were generated in this process. */
  async approveByFingerprint(code: string, expectedFingerprint: string): Promise<void> {
    const request = await this.getPairingRequest(code);
    if (request.fingerprint !== expectedFingerprint)
      throw new EnrollmentError('The service returns other keys for this pairing code than were sent.');
    await this.approvePairing(code, request);
  }

  async denyPairing(code: string): Promise<void> {
    await this.device.callApi('POST', `${getPairingPath(code)}/deny`);
  }

  /**
   * Adds an account device that exists only on paper.
   * @param name in the list of devices
   * @returns the recovery key, which is not stored anywhere
   */
  async addRecoveryKey(name = 'Recovery key'): Promise<string> {
    const recoveryKey = generateRecoveryKey();
    const keys = deriveRecoveryKeys(recoveryKey);
    const description = { kind: 'account', name, platform: 'paper' } as const;
    const { code } = await requestPairing(this.device.remoteService, keys, description);
    await this.approveByFingerprint(code, computeDeviceFingerprint(keys));
    return recoveryKey;
  }

  listDevices(): Promise<DeviceResource[]> {
    return this.device.listItems<DeviceResource>('/v1/devices');
  }

  async revokeDevice(id: string): Promise<void> {
    await this.device.callApi('DELETE', `/v1/devices/${encodeURIComponent(id)}`);
  }

  /** @returns the record and the token itself, `svc_pat_…`, which the service does not show again */
  async createToken(token: CreateTokenOptions): Promise<{ record: TokenResource; token: string }> {
    const response = await this.device.callApi<DataEnvelope<TokenResource> & { token: string }>(
      'POST',
      TOKENS_PATH,
      token,
    );
    return { record: response.data, token: response.token };
  }

  listTokens(): Promise<TokenResource[]> {
    return this.device.listItems<TokenResource>(TOKENS_PATH);
  }

  async revokeToken(id: string): Promise<void> {
    await this.device.callApi('DELETE', `${TOKENS_PATH}/${encodeURIComponent(id)}`);
  }

  /** @returns the record and the client secret, `svc_ocs_…`, which the service does not show again */
  async createApp(app: CreateAppOptions): Promise<{ record: AppResource; clientSecret: string }> {
    const response = await this.device.callApi<DataEnvelope<AppResource> & { clientSecret: string }>(
      'POST',
      APPS_PATH,
      app,
    );
    return { record: response.data, clientSecret: response.clientSecret };
  }

  listApps(): Promise<AppResource[]> {
    return this.device.listItems<AppResource>(APPS_PATH);
  }
}

/** Ignores case, spaces and the hyphen of a typed code. */
function getPairingPath(code: string): string {
  const normalizedCode = code.toUpperCase().replace(/[\s-]/g, '');
  return `/v1/pairings/code/${encodeURIComponent(`${normalizedCode.slice(0, 4)}-${normalizedCode.slice(4)}`)}`;
}
