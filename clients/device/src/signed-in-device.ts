import { ApiResponseError, DeviceRejectedError, isTransient } from './client-errors';
import type { DataEnvelope, SignInResult } from './api-resources';
import { unsealContentKey } from './content/content-key';
import type { DeviceState } from './device-state';
import { EnrollmentError, verifyEnrollment, verifyPinnedEnrollment, type Enrollment } from './enrollment';
import type { DeviceApiClient } from './device-api-client';
import { createKeyProof } from './key-proof';
import type { KeyStore } from './key-store';
import { toPublicKey } from './keys';

const DAY_MS = 86_400_000;

/** A service's HTTP client and public URL. */
export interface RemoteService {
  http: DeviceApiClient;
  /** The service's configured public URL, which challenges name. */
  audience: string;
}

/** A device with its keys, token and pinned enrollment. Renews the token by signing in. */
export class SignedInDevice {
  private pendingSignIn: Promise<void> | undefined;
  private lastSave: Promise<void> = Promise.resolve();

  constructor(
    readonly remoteService: RemoteService,
    private readonly store: KeyStore,
    readonly state: DeviceState,
  ) {}

  /** Returns a token that is not about to expire. */
  async getToken(): Promise<string> {
    if (this.needsRenewal())
      await this.signIn().catch((error: unknown) => {
        // A token that can't be written to the key file, as while the disk is full, is valid all the same.
        if (this.needsRenewal()) throw error;
      });
    return this.state.token?.value ?? '';
  }

  /** Returns true from one day before the expiry, or in the last tenth of a shorter lifetime. */
  needsRenewal(now = Date.now()): boolean {
    const { token } = this.state;
    if (!token || token.url !== this.remoteService.http.url) return true;
    const lifetimeMs = token.expiresAt - token.obtainedAt;
    // This computer's clock is ahead by more than the lifetime. The service says when the token has expired.
    if (lifetimeMs <= 0) return false;
    return now >= token.expiresAt - Math.min(DAY_MS, lifetimeMs / 10);
  }

  clearToken(): void {
    delete this.state.token;
  }

  /**
   * Calls the device API. Renews a rejected token once.
   * @throws ApiResponseError, UnreachableError, DeviceRejectedError
   */
  async callApi<T>(method: string, path: string, body?: unknown): Promise<T> {
    const token = await this.getToken();
    try {
      return await this.remoteService.http.sendRequest<T>(method, path, { token, body });
    } catch (error) {
      if (!(error instanceof ApiResponseError) || error.code !== 'invalid_token') throw error;
      this.clearToken();
      return this.remoteService.http.sendRequest<T>(method, path, { token: await this.getToken(), body });
    }
  }

  /** Iterates over a list and fetches its pages on demand. */
  async *iterateItems<T>(path: string): AsyncGenerator<T> {
    let cursor: string | null | undefined;
    do {
      const query = cursor ? `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}` : '';
      const page = await this.callApi<DataEnvelope<T[]> & { nextCursor?: string | null }>('GET', path + query);
      yield* page.data;
      cursor = page.nextCursor;
    } while (cursor);
  }

  async listItems<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this.iterateItems<T>(path)) items.push(item);
    return items;
  }

  /** @throws DeviceRejectedError once revoked; EnrollmentError when the pinned enrollment has changed */
  async signIn(): Promise<void> {
    this.pendingSignIn ??= this.signInWithRetry()
      .catch(throwSignInError)
      .finally(() => (this.pendingSignIn = undefined));
    await this.pendingSignIn;
  }

  /** Writes the state as it is when earlier writes have ended, so that an older state never replaces a newer one. */
  saveState(): Promise<void> {
    const save = this.lastSave.then(() => this.store.saveState(this.state));
    this.lastSave = save.catch(() => undefined);
    return save;
  }

  /** Verifies the result of a sign-up or sign-in and stores it. */
  async applySignIn(signIn: SignInResult): Promise<void> {
    const { account, device, token, tokenExpiresAt } = signIn;
    if (this.state.account && this.state.account.id !== account.id)
      throw new EnrollmentError('The service presents an account that this device does not belong to.');
    await this.pinEnrollment(account.id, signIn.enrollment ?? null);
    const { url } = this.remoteService.http;
    this.state.account = { id: account.id, username: account.username };
    this.state.deviceId = device.id;
    this.state.url = url;
    this.state.token = { value: token, obtainedAt: Date.now(), expiresAt: tokenExpiresAt, url };
    delete this.state.pairing;
    await this.saveState();
  }

  /** Returns the verified pinned enrollment. @throws EnrollmentError on an account's first device, which has none */
  async getEnrollment(): Promise<Enrollment> {
    const { enrollment, account, keys } = this.state;
    if (!enrollment || !account) throw new EnrollmentError('This device has no enrollment.');
    return verifyEnrollment(enrollment, account.id, keys);
  }

  private async signInWithRetry(): Promise<void> {
    // A challenge may expire before it is used, so only a second refusal counts.
    const response = await this.requestSignIn().catch((error: unknown) => {
      if (!isUnauthorized(error) || error.reason === 'revoked') throw error;
      return this.requestSignIn();
    });
    await this.applySignIn(response.data);
  }

  private async requestSignIn(): Promise<DataEnvelope<SignInResult>> {
    const { http, audience } = this.remoteService;
    const { keys } = this.state;
    const keyProof = await createKeyProof(http, audience, keys, 'signing');
    const body = { publicKey: toPublicKey(keys.signing), ...keyProof };
    return http.sendRequest<DataEnvelope<SignInResult>>('POST', '/v1/auth/sign-in', { body });
  }

  private async pinEnrollment(accountId: string, presented: string | null): Promise<void> {
    const { state } = this;
    if (state.enrollment !== undefined)
      return verifyPinnedEnrollment(state.enrollment, presented, accountId, state.keys);
    // Only the account's first device, which holds the content key, has no enrollment.
    if (presented === null && !state.contentKey)
      throw new EnrollmentError('The service does not prove that a device of the account approved this one.');
    if (presented !== null) {
      const enrollment = await verifyEnrollment(presented, accountId, state.keys);
      if (state.kind === 'account') await this.storeContentKey(enrollment);
    }
    state.enrollment = presented;
  }

  private async storeContentKey(enrollment: Enrollment): Promise<void> {
    if (!enrollment.sealedContentKey) throw new EnrollmentError('The enrollment lacks the content key.');
    const { encryption } = this.state.keys;
    const key = await unsealContentKey(enrollment.sealedContentKey, encryption, enrollment.contentPublicKey);
    this.state.contentKey = { version: enrollment.contentKeyVersion, key };
  }
}

const isUnauthorized = (error: unknown): error is ApiResponseError =>
  error instanceof ApiResponseError && error.status === 401;

function throwSignInError(error: unknown): never {
  if (!isUnauthorized(error) || isTransient(error)) throw error;
  const revoked = error.reason === 'revoked';
  throw new DeviceRejectedError(
    `${revoked ? 'This device was revoked' : 'The service does not know this device'}: ${error.message}`,
  );
}
