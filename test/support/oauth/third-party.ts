import { createHash, randomBytes } from 'node:crypto';
import { ConsentRequests } from '../../../src/oauth';
import type { AccountDevice } from '../device/foreign-device';
import { ok } from '../device/foreign-device';
import type { Answer, HttpClient } from '../http-client';
import type { Service } from '../service';

export const OAUTH = '/external/v1/oauth';
export const CALLBACK = 'https://app.example/callback';

/** Parameters of a form or query; null leaves out one that would be there, a list repeats it. */
export type Fields = Record<string, string | string[] | null>;

/** A third-party app in the hands of a test: it speaks plain HTTP, and nothing of the service is imported for it. */
export class ThirdParty {
  private constructor(
    readonly http: HttpClient,
    readonly owner: AccountDevice,
    readonly clientId: string,
    readonly clientSecret: string,
    readonly redirectUri: string,
  ) {}

  static async register(owner: AccountDevice, redirectUri = CALLBACK, extra: object = {}): Promise<ThirdParty> {
    const body = { name: 'Notes', redirectUris: [redirectUri], ...extra };
    const { data, clientSecret } = ok(await owner.http.post('/v1/developer/apps', owner.token, body), 201);
    return new ThirdParty(owner.http, owner, data.clientId, clientSecret, redirectUri);
  }

  get basic(): Record<string, string> {
    return { Authorization: basic(this.clientId, this.clientSecret) };
  }

  /** `GET /oauth/authorize` with a good request that `changes` may spoil. */
  authorize(changes: Fields = {}): Promise<Answer> {
    return this.http.request('GET', `${OAUTH}/authorize?${encode(this.authorizationRequest(changes))}`);
  }

  authorizationRequest(changes: Fields = {}): Fields {
    return {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      scope: 'sessions:read profile:read',
      state: 'a state',
      code_challenge: challengeOf(VERIFIER),
      code_challenge_method: 'S256',
      ...changes,
    };
  }

  /** By HTTP Basic unless `headers` says otherwise. */
  post(endpoint: 'token' | 'revoke' | 'introspect', fields: Fields, headers = this.basic): Promise<Answer> {
    return postForm(this.http, `${OAUTH}/${endpoint}`, encode(fields), headers);
  }

  exchange(code: string, changes: Fields = {}): Promise<Answer> {
    return this.post('token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirectUri,
      code_verifier: VERIFIER,
      ...changes,
    });
  }

  refresh(refreshToken: string, changes: Fields = {}): Promise<Answer> {
    return this.post('token', { grant_type: 'refresh_token', refresh_token: refreshToken, ...changes });
  }

  /** Whole way: the request, the person's word, the code. */
  async code(service: Service, person: AccountDevice, changes: Fields = {}): Promise<string> {
    const location = await consent(service, person, await this.authorize(changes));
    const code = new URL(location).searchParams.get('code');
    if (code === null) throw new Error(`no code: ${location}`);
    return code;
  }

  /** The code's tokens, too. */
  async tokens(service: Service, person: AccountDevice, changes: Fields = {}): Promise<any> {
    const redirect = { redirect_uri: (changes.redirect_uri as string | undefined) ?? this.redirectUri };
    return ok(await this.exchange(await this.code(service, person, changes), redirect), 200);
  }
}

export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

export function basic(clientId: string, secret: string): string {
  return `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
}

export function encode(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : value === null ? [] : [value]).map((one): [string, string] => [name, one]),
  );
  return new URLSearchParams(pairs).toString();
}

export function postForm(
  http: HttpClient,
  path: string,
  raw: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return http.request('POST', path, { raw, headers: { ...type, ...headers } });
}

/** The person behind an account, in a browser session of their own. */
export function inBrowser(person: AccountDevice, session = `session of ${person.accountId}`) {
  return { accountId: person.accountId, session };
}

export function requestIdOf(answer: Answer): string {
  const [, id] = /\/console\/consent\/([\w-]{43})$/.exec(answer.headers.get('location') ?? '') ?? [];
  if (id === undefined) {
    throw new Error(`no question: ${answer.status} ${answer.headers.get('location')} ${answer.body}`);
  }
  return id;
}

/** The person's word on what an app has just asked for; where the browser goes with it. */
export async function consent(
  service: Service,
  person: AccountDevice,
  asked: Answer,
  word: 'allow' | 'deny' = 'allow',
): Promise<string> {
  const consents = service.app.get(ConsentRequests, { strict: false });
  const opened = await consents.open(requestIdOf(asked), inBrowser(person));
  if (opened.kind === 'gone') throw new Error('the request is gone');
  if (opened.kind === 'redirect') return opened.location;
  return (await consents.decide(opened.ticket, inBrowser(person), word)).location;
}

/** A value of its own each time, as a state or verifier is. */
export function unique(): string {
  return randomBytes(32).toString('base64url');
}
