import { readTableDigests } from '../../../support/database';
import { ForeignAccountDevice } from '../../../support/device/foreign-device';
import type { HttpResponse } from '../../../support/http-client';
import {
  APP_CALLBACK_URL,
  decideConsent,
  encodeForm,
  OAUTH_PATH,
  ThirdPartyApp,
  type OAuthFormFields,
} from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

describe('an error of a known client’s request redirects to it (RFC 6749 §4.1.2.1)', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let app: ThirdPartyApp;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada);
  });
  afterAll(() => service?.stop());

  const errorOf = (httpResponse: HttpResponse): string | null => {
    expect(httpResponse.status).toBe(303);
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    const location = new URL(httpResponse.headers.get('location')!);
    expect(location.origin + location.pathname).toBe(APP_CALLBACK_URL);
    expect(location.searchParams.get('state')).toBe('a state');
    expect(location.searchParams.get('iss')).toBe(service.url);
    expect(location.searchParams.has('code')).toBe(false);
    expect(location.hash).toBe('');
    return location.searchParams.get('error');
  };

  it.each<[string, string, OAuthFormFields]>([
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
    ['sessions:approve', 'invalid_scope', { scope: 'sessions:approve' }],
    ['machines:invoke:verified', 'invalid_scope', { scope: 'machines:invoke:verified' }],
    ['a repeated scope', 'invalid_request', { scope: ['sessions:read', 'sessions:read'] }],
    ['a repeated challenge', 'invalid_request', { code_challenge: ['a'.repeat(43), 'a'.repeat(43)] }],
    ['a repeated method', 'invalid_request', { code_challenge_method: ['S256', 'S256'] }],
    ['a repeated response_type', 'invalid_request', { response_type: ['code', 'code'] }],
  ])('%s: %s', async (_, error, changes) => {
    const image = await readTableDigests(service);
    expect(errorOf(await app.requestAuthorization(changes))).toBe(error);
    expect(await readTableDigests(service)).toEqual(image);
  });

  it('error_description says what is wrong', async () => {
    const location = (await app.requestAuthorization({ scope: 'machines:invoke' })).headers.get('location')!;
    const description = new URL(location).searchParams.get('error_description');
    expect(description).toBe('No app may have the scope machines:invoke.');
  });

  it('a repeated state is not returned', async () => {
    const httpResponse = await app.requestAuthorization({ state: ['a', 'b'] });
    const { searchParams } = new URL(httpResponse.headers.get('location')!);
    expect(searchParams.get('error')).toBe('invalid_request');
    expect(searchParams.has('state')).toBe(false);
  });

  it('a person denies access: access_denied', async () => {
    const location = await decideConsent(service, ada, await app.requestAuthorization(), 'deny');
    const { searchParams } = new URL(location);
    expect([...searchParams]).toEqual([
      ['error', 'access_denied'],
      ['iss', service.url],
      ['state', 'a state'],
    ]);
  });

  it('unknown parameters are ignored, even repeated ones; method and type are optional', async () => {
    const httpResponse = await app.requestAuthorization({
      response_type: null,
      code_challenge_method: null,
      prompt: 'none',
      resource: ['https://a.example', 'https://b.example'],
    });
    expect(httpResponse.status).toBe(303);
    expect(httpResponse.headers.get('location')).toContain('/console/consent/');
  });

  it('the endpoint accepts only GET (RFC 6749 §3.1)', async () => {
    const form = encodeForm(app.buildAuthorizationRequest());
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const httpResponse = await service.http.request('POST', `${OAUTH_PATH}/authorize`, {
      raw: form,
      headers,
    });
    expect(httpResponse.status).toBe(405);
    expect(httpResponse.headers.get('allow')).toBe('GET, HEAD');
  });

  it('the query of the redirect URI is kept (RFC 6749 §3.1.2)', async () => {
    const other = await ThirdPartyApp.register(ada, 'https://app.example/cb?tenant=%41');
    const location = (await other.requestAuthorization({ scope: null })).headers.get('location')!;
    expect(location).toMatch(/^https:\/\/app\.example\/cb\?tenant=%41&error=invalid_scope&/);
  });

  it('the endpoint is not available to other origins (RFC 9700 §2.6)', async () => {
    const url = `${service.url}${OAUTH_PATH}/authorize?${encodeForm(app.buildAuthorizationRequest())}`;
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
