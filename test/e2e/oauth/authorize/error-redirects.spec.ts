import { databaseImage } from '../../../support/database';
import { AccountDevice } from '../../../support/device/foreign-device';
import type { Answer } from '../../../support/http-client';
import { CALLBACK, consent, encode, OAUTH, ThirdParty, type Fields } from '../../../support/oauth/third-party';
import { Service } from '../../../support/service';

describe('what is wrong with a request of a known client goes back to it (RFC 6749 §4.1.2.1)', () => {
  let service: Service;
  let ada: AccountDevice;
  let app: ThirdParty;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(ada);
  });
  afterAll(() => service?.stop());

  const errorOf = (answer: Answer): string | null => {
    expect(answer.status).toBe(303);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const location = new URL(answer.headers.get('location')!);
    expect(location.origin + location.pathname).toBe(CALLBACK);
    expect(location.searchParams.get('state')).toBe('a state');
    expect(location.searchParams.get('iss')).toBe(service.url);
    expect(location.searchParams.has('code')).toBe(false);
    expect(location.hash).toBe('');
    return location.searchParams.get('error');
  };

  it.each<[string, string, Fields]>([
    ['no code_challenge (RFC 7636 §4.4.1)', 'invalid_request', { code_challenge: null }],
    ['neither challenge nor method', 'invalid_request', { code_challenge: null, code_challenge_method: null }],
    ['plain (RFC 9700 §2.1.1)', 'invalid_request', { code_challenge_method: 'plain' }],
    ['a challenge of 42 characters', 'invalid_request', { code_challenge: 'a'.repeat(42) }],
    ['a challenge of 44 characters', 'invalid_request', { code_challenge: 'a'.repeat(44) }],
    ['a challenge out of base64url', 'invalid_request', { code_challenge: `${'a'.repeat(42)}=` }],
    ['the implicit flow (RFC 9700 §2.1.2)', 'unsupported_response_type', { response_type: 'token' }],
    ['a hybrid flow', 'unsupported_response_type', { response_type: 'code id_token' }],
    ['no scope (RFC 6749 §3.3)', 'invalid_scope', { scope: null }],
    ['an empty scope', 'invalid_scope', { scope: '' }],
    ['an unknown scope', 'invalid_scope', { scope: 'sessions:read all' }],
    ['machines:invoke', 'invalid_scope', { scope: 'machines:invoke' }],
    ['machines:invoke among others', 'invalid_scope', { scope: 'sessions:read machines:invoke' }],
    ['machines:invoke:verified', 'invalid_scope', { scope: 'machines:invoke:verified' }],
    ['a repeated scope', 'invalid_request', { scope: ['sessions:read', 'sessions:read'] }],
    ['a repeated challenge', 'invalid_request', { code_challenge: ['a'.repeat(43), 'a'.repeat(43)] }],
    ['a repeated method', 'invalid_request', { code_challenge_method: ['S256', 'S256'] }],
    ['a repeated response_type', 'invalid_request', { response_type: ['code', 'code'] }],
  ])('%s: %s', async (_, error, changes) => {
    const image = await databaseImage(service);
    expect(errorOf(await app.authorize(changes))).toBe(error);
    expect(await databaseImage(service)).toEqual(image);
  });

  it('a repeated state is none that could be sent back', async () => {
    const answer = await app.authorize({ state: ['a', 'b'] });
    const { searchParams } = new URL(answer.headers.get('location')!);
    expect(searchParams.get('error')).toBe('invalid_request');
    expect(searchParams.has('state')).toBe(false);
  });

  it('a person who says no: access_denied', async () => {
    const location = await consent(service, ada, await app.authorize(), 'deny');
    const { searchParams } = new URL(location);
    expect([...searchParams]).toEqual([
      ['error', 'access_denied'],
      ['iss', service.url],
      ['state', 'a state'],
    ]);
  });

  it('unknown parameters are ignored, also repeated ones; method and type may be left out', async () => {
    const answer = await app.authorize({
      response_type: null,
      code_challenge_method: null,
      prompt: 'none',
      resource: ['https://a.example', 'https://b.example'],
    });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toContain('/console/consent/');
  });

  it('is no endpoint for anything but GET (RFC 6749 §3.1)', async () => {
    const form = encode(app.authorizationRequest());
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const answer = await service.http.request('POST', `${OAUTH}/authorize`, { raw: form, headers });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });

  it('keeps its query where the redirect URI has one (RFC 6749 §3.1.2)', async () => {
    const other = await ThirdParty.register(ada, 'https://app.example/cb?tenant=%41');
    const location = (await other.authorize({ scope: null })).headers.get('location')!;
    expect(location).toMatch(/^https:\/\/app\.example\/cb\?tenant=%41&error=invalid_scope&/);
  });

  it('is not open to scripts of other origins (RFC 9700 §2.6)', async () => {
    const url = `${service.url}${OAUTH}/authorize?${encode(app.authorizationRequest())}`;
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' };
    for (const [method, at] of [
      ['GET', url],
      ['GET', url.replace('/authorize', '/Authorize/')],
      ['OPTIONS', url],
    ] as const) {
      const answer = await fetch(at, { method, headers, redirect: 'manual' });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});
