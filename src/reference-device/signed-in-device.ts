import { ApiError, DeviceRefusedError } from './api-error';
import type { Data, SignedIn } from './api-records';
import { unsealContentKey } from './content/content-key';
import type { DeviceState } from './device-state';
import { EnrollmentError, verifyEnrollment, verifyPinned, type Enrollment } from './enrollment';
import type { HttpClient } from './http-client';
import { proveKeys } from './identity';
import type { KeyStore } from './key-store';
import { publicPart } from './keys';

const DAY_MS = 86_400_000;

/** How a service is reached and what it calls itself. */
export interface Service {
  http: HttpClient;
  /** Its configured public URL, which challenges name. */
  audience: string;
}

/** A device with its keys, its token and its pinned enrollment; renews the token by signing in. */
export class SignedInDevice {
  private signingIn: Promise<void> | undefined;

  constructor(
    readonly service: Service,
    private readonly store: KeyStore,
    readonly state: DeviceState,
  ) {}

  /** A token that is good for a while yet. */
  async token(): Promise<string> {
    if (this.needsRenewal()) await this.signIn();
    return this.state.token?.value ?? '';
  }

  /** True from a day before the end on, or for the last tenth of a shorter life. */
  needsRenewal(now = Date.now()): boolean {
    const { token } = this.state;
    if (!token || token.url !== this.service.http.url) return true;
    return now >= token.expiresAt - Math.min(DAY_MS, (token.expiresAt - token.obtainedAt) / 10);
  }

  forgetToken(): void {
    delete this.state.token;
  }

  /**
   * Calls the device API; a token that is no longer taken is renewed once.
   * @throws ApiError, UnreachableError, DeviceRefusedError
   */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const token = await this.token();
    try {
      return await this.service.http.request<T>(method, path, { token, body });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_token') throw error;
      this.forgetToken();
      return this.service.http.request<T>(method, path, { token: await this.token(), body });
    }
  }

  /** A list from its first page to its last, as it is asked for. */
  async *each<T>(path: string): AsyncGenerator<T> {
    let cursor: string | null | undefined;
    do {
      const query = cursor ? `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}` : '';
      const page = await this.call<Data<T[]> & { nextCursor?: string | null }>('GET', path + query);
      yield* page.data;
      cursor = page.nextCursor;
    } while (cursor);
  }

  async all<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this.each<T>(path)) items.push(item);
    return items;
  }

  /** @throws DeviceRefusedError once revoked; EnrollmentError when the pinned enrollment has changed */
  async signIn(): Promise<void> {
    this.signingIn ??= this.proveAndStore()
      .catch(explained)
      .finally(() => (this.signingIn = undefined));
    await this.signingIn;
  }

  save(): Promise<void> {
    return this.store.save(this.state);
  }

  /** Takes over what a sign-up or a sign-in answered, once it has been verified. */
  async accept(signedIn: SignedIn): Promise<void> {
    const { account, device, token, tokenExpiresAt } = signedIn;
    if (this.state.account && this.state.account.id !== account.id)
      throw new EnrollmentError('The service presents another account than this device belongs to.');
    await this.pin(account.id, signedIn.enrollment ?? null);
    const { url } = this.service.http;
    this.state.account = { id: account.id, username: account.username };
    this.state.deviceId = device.id;
    this.state.url = url;
    this.state.token = { value: token, obtainedAt: Date.now(), expiresAt: tokenExpiresAt, url };
    delete this.state.pairing;
    await this.save();
  }

  /** The pinned enrollment, opened. @throws Error on an account's first device, which has none */
  async enrollment(): Promise<Enrollment> {
    const { enrollment, account, keys } = this.state;
    if (!enrollment || !account) throw new EnrollmentError('This device has no enrollment.');
    return verifyEnrollment(enrollment, account.id, keys);
  }

  private async proveAndStore(): Promise<void> {
    // A challenge may go stale on the way, and that 401 looks like a revocation: only a second one counts.
    const answer = await this.presentKey().catch((error: unknown) => {
      if (!isRefusal(error) || error.reason === 'revoked') throw error;
      return this.presentKey();
    });
    await this.accept(answer.data);
  }

  private async presentKey(): Promise<Data<SignedIn>> {
    const { http, audience } = this.service;
    const { keys } = this.state;
    const proof = await proveKeys(http, audience, keys, 'signing');
    const body = { publicKey: publicPart(keys.signing), ...proof };
    return http.request<Data<SignedIn>>('POST', '/v1/auth/sign-in', { body });
  }

  private async pin(accountId: string, presented: string | null): Promise<void> {
    const { state } = this;
    if (state.enrollment !== undefined) return verifyPinned(state.enrollment, presented, accountId, state.keys);
    // Only the device that made the account, and so holds its content key, comes without one.
    if (presented === null && !state.contentKey)
      throw new EnrollmentError('The service gives no proof that a device of the account approved this one.');
    if (presented !== null) {
      const enrollment = await verifyEnrollment(presented, accountId, state.keys);
      if (state.kind === 'account') await this.takeContentKey(enrollment);
    }
    state.enrollment = presented;
  }

  private async takeContentKey(enrollment: Enrollment): Promise<void> {
    if (!enrollment.sealedContentKey) throw new EnrollmentError('The enrollment lacks the content key.');
    const { encryption } = this.state.keys;
    const key = await unsealContentKey(enrollment.sealedContentKey, encryption, enrollment.contentPublicKey);
    this.state.contentKey = { version: enrollment.contentKeyVersion, key };
  }
}

const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 401;

function explained(error: unknown): never {
  if (!isRefusal(error)) throw error;
  const revoked = error.reason === 'revoked';
  throw new DeviceRefusedError(
    `${revoked ? 'This device was revoked' : 'The service does not know this device'}: ${error.message}`,
  );
}
