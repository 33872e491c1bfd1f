import { createHash, randomBytes } from 'node:crypto';
import { ConsentService } from '../../../src/modules/oauth';
import { expectStatus, type ForeignAccountDevice } from '../device/foreign-device';
import type { HttpResponse, HttpClient } from '../http-client';
import type { Service } from '../service';

export const OAUTH_PATH = '/external/v1/oauth';
export const APP_CALLBACK_URL = 'https://app.example/callback';

/** Parameters of a form or query. Null omits a default parameter; a list repeats one. */
export type OAuthFormFields = Record<string, string | string[] | null>;

/** Third-party app of a test. It uses plain HTTP and imports nothing of the service. */
export class ThirdPartyApp {
  private constructor(
    readonly http: HttpClient,
    readonly owner: ForeignAccountDevice,
    readonly clientId: string,
    readonly clientSecret: string,
    readonly redirectUri: string,
  ) {}

  static async register(
    owner: ForeignAccountDevice,
    redirectUri = APP_CALLBACK_URL,
    extra: object = {},
  ): Promise<ThirdPartyApp> {
    const body = { name: 'Notes', redirectUris: [redirectUri], ...extra };
    const { data, clientSecret } = expectStatus(await owner.http.post('/v1/developer/apps', owner.token, body), 201);
    return new ThirdPartyApp(owner.http, owner, data.clientId, clientSecret, redirectUri);
  }

  get basicHeaders(): Record<string, string> {
    return { Authorization: createBasicAuthorization(this.clientId, this.clientSecret) };
  }

  /** Sends `GET /oauth/authorize` with a valid request, modified by `changes`. */
  requestAuthorization(changes: OAuthFormFields = {}): Promise<HttpResponse> {
    return this.http.request('GET', `${OAUTH_PATH}/authorize?${encodeForm(this.buildAuthorizationRequest(changes))}`);
  }

  buildAuthorizationRequest(changes: OAuthFormFields = {}): OAuthFormFields {
    return {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      scope: 'sessions:read profile:read',
      state: 'a state',
      code_challenge: computeCodeChallenge(CODE_VERIFIER),
      code_challenge_method: 'S256',
      ...changes,
    };
  }

  /** Authenticates with HTTP Basic unless `headers` overrides it. */
  postToEndpoint(
    endpoint: 'token' | 'revoke' | 'introspect',
    oAuthFormFields: OAuthFormFields,
    headers = this.basicHeaders,
  ): Promise<HttpResponse> {
    return postForm(this.http, `${OAUTH_PATH}/${endpoint}`, encodeForm(oAuthFormFields), headers);
  }

  exchangeCode(code: string, changes: OAuthFormFields = {}): Promise<HttpResponse> {
    return this.postToEndpoint('token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirectUri,
      code_verifier: CODE_VERIFIER,
      ...changes,
    });
  }

  refreshTokens(refreshToken: string, changes: OAuthFormFields = {}): Promise<HttpResponse> {
    return this.postToEndpoint('token', {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      ...changes,
    });
  }

  /** Requests authorization, gives the person's consent and returns the code. */
  async obtainCode(service: Service, person: ForeignAccountDevice, changes: OAuthFormFields = {}): Promise<string> {
    const location = await decideConsent(service, person, await this.requestAuthorization(changes));
    const code = new URL(location).searchParams.get('code');
    if (code === null) throw new Error(`no code: ${location}`);
    return code;
  }

  /** Also exchanges the code for tokens. */
  async obtainTokens(service: Service, person: ForeignAccountDevice, changes: OAuthFormFields = {}): Promise<any> {
    const redirect = { redirect_uri: (changes.redirect_uri as string | undefined) ?? this.redirectUri };
    return expectStatus(await this.exchangeCode(await this.obtainCode(service, person, changes), redirect), 200);
  }
}

export const CODE_VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

export function computeCodeChallenge(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

export function createBasicAuthorization(clientId: string, secret: string): string {
  return `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
}

export function encodeForm(oAuthFormFields: OAuthFormFields): string {
  const pairs = Object.entries(oAuthFormFields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : value === null ? [] : [value]).map((one): [string, string] => [name, one]),
  );
  return new URLSearchParams(pairs).toString();
}

export function postForm(
  http: HttpClient,
  path: string,
  raw: string,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return http.request('POST', path, { raw, headers: { ...type, ...headers } });
}

/** Returns the identity of an account's owner, with a separate browser login. */
export function createBrowserIdentity(
  person: Pick<ForeignAccountDevice, 'accountId'>,
  loginId = `login of ${person.accountId}`,
) {
  return { accountId: person.accountId, loginId };
}

export function readConsentRequestId(httpResponse: HttpResponse): string {
  const [, id] = /\/console\/consent\/([\w-]{43})$/.exec(httpResponse.headers.get('location') ?? '') ?? [];
  if (id === undefined) {
    throw new Error(`no question: ${httpResponse.status} ${httpResponse.headers.get('location')} ${httpResponse.body}`);
  }
  return id;
}

/** Decides an app's pending request as the person. Returns the redirect target. */
export async function decideConsent(
  service: Service,
  person: Pick<ForeignAccountDevice, 'accountId'>,
  authorization: HttpResponse,
  decision: 'allow' | 'deny' = 'allow',
): Promise<string> {
  const consents = service.app.get(ConsentService, { strict: false });
  const opened = await consents.openConsentRequest(readConsentRequestId(authorization), createBrowserIdentity(person));
  if (opened.kind === 'gone') throw new Error('the request is gone');
  if (opened.kind === 'redirect') return opened.location;
  return (await consents.decideConsentRequest(opened.ticket, createBrowserIdentity(person), decision)).location;
}

/** Returns a random value, such as a state or verifier. */
export function createRandomText(): string {
  return randomBytes(32).toString('base64url');
}
