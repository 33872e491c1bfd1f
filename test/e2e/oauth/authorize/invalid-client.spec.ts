import { createHash } from 'node:crypto';
import { readTableDigests, queryDatabase } from '../../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import type { HttpResponse } from '../../../support/http-client';
import {
  APP_CALLBACK_URL,
  encodeForm,
  OAUTH_PATH,
  ThirdPartyApp,
  type OAuthFormFields,
} from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

describe('a request without a trusted redirect URI (RFC 6749 §3.1.2.4, §4.1.2.1)', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let app: ThirdPartyApp;
  const isPage = (httpResponse: HttpResponse, words: RegExp) => {
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.headers.get('location')).toBeNull();
    expect(httpResponse.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(httpResponse.body).toMatch(words);
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada, 'https://app.example/a/callback?tenant=1');
  });
  afterAll(() => service?.stop());

  it.each<[string, OAuthFormFields]>([
    ['no client', { client_id: null }],
    ['an empty client', { client_id: '' }],
    ['an unknown client', { client_id: `svc_oapp_${'A'.repeat(36)}` }],
    ['a client with a NUL', { client_id: 'svc_oapp_\0' }],
  ])('with %s gets a page', async (_, changes) => {
    const image = await readTableDigests(service);
    isPage(await app.requestAuthorization(changes), /client_id/);
    expect(await readTableDigests(service)).toEqual(image);
  });

  it('with a repeated client gets a page, even if both are equal', async () => {
    isPage(
      await app.requestAuthorization({ client_id: [app.clientId, app.clientId] }),
      /client_id is given more than once/,
    );
  });

  it('of a disabled client gets a page until it is enabled again', async () => {
    const other = await ThirdPartyApp.register(ada);
    const act = (verb: string) => service.http.post(`/v1/developer/apps/${other.clientId}/${verb}`, ada.token, {});
    expectStatus(await act('disable'), 200);
    isPage(await other.requestAuthorization(), /disabled/);
    expectStatus(await act('enable'), 200);
    expect((await other.requestAuthorization()).status).toBe(303);
  });

  it.each<[string, OAuthFormFields]>([
    ['none', { redirect_uri: null }],
    ['an empty one', { redirect_uri: '' }],
    ['two', { redirect_uri: [APP_CALLBACK_URL, APP_CALLBACK_URL] }],
    ['an unregistered one', { redirect_uri: 'https://evil.example/' }],
    ['a slash more', { redirect_uri: 'https://app.example/a/callback/?tenant=1' }],
    ['a port', { redirect_uri: 'https://app.example:444/a/callback?tenant=1' }],
    ['its default port', { redirect_uri: 'https://app.example:443/a/callback?tenant=1' }],
    ['other letters', { redirect_uri: 'https://app.example/a/Callback?tenant=1' }],
    ['no query', { redirect_uri: 'https://app.example/a/callback' }],
    ['another query', { redirect_uri: 'https://app.example/a/callback?tenant=2' }],
    ['more of a query', { redirect_uri: 'https://app.example/a/callback?tenant=1&x=1' }],
    ['dots', { redirect_uri: 'https://app.example/a/b/../callback?tenant=1' }],
    ['a fragment', { redirect_uri: 'https://app.example/a/callback?tenant=1#x' }],
    ['user information', { redirect_uri: 'https://app.example@evil.example/a/callback?tenant=1' }],
    ['another scheme', { redirect_uri: 'http://app.example/a/callback?tenant=1' }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
  ])('with a redirect URI that has %s gets a page (RFC 9700 §2.1)', async (_, changes) => {
    isPage(await app.requestAuthorization(changes), /redirect_uri/);
  });

  it('gets a page before any other error', async () => {
    isPage(
      await app.requestAuthorization({
        redirect_uri: 'https://evil.example/',
        response_type: 'token',
        scope: null,
      }),
      /./,
    );
    isPage(await service.http.get(`${OAUTH_PATH}/authorize`), /client_id is missing/);
  });

  it('gets a page without scripts, framing, caching or content of the request', async () => {
    const httpResponse = await app.requestAuthorization({
      redirect_uri: '"><script>alert(1)</script>',
      state: '<img src=x>',
    });
    isPage(httpResponse, /redirect_uri does not match a registered/);
    expect(httpResponse.body).not.toMatch(/<script|<img/);
    const policy = httpResponse.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';.*frame-ancestors 'none'/);
    const [, style] = /<style>([^]*)<\/style>/.exec(httpResponse.body)!;
    expect(policy).toContain(`'sha256-${createHash('sha256').update(style!).digest('base64')}'`);
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    expect(httpResponse.headers.get('referrer-policy')).toBe('no-referrer');
    expect(httpResponse.body).toContain(httpResponse.headers.get('x-request-id'));
  });

  it('stores nothing', async () => {
    expect(await queryDatabase(service, 'SELECT 1 FROM oauth_requests WHERE app_id = $1', [app.clientId])).toEqual([]);
  });

  it('is limited by its address', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    const proxied = await Service.start({ TRUST_PROXY: '1' });
    const path = `${OAUTH_PATH}/authorize?${encodeForm({ client_id: 'x' })}`;
    const statuses: number[] = [];
    for (let i = 0; i < 601; i++) {
      statuses.push((await proxied.http.request('GET', path, { headers })).status);
    }
    expect(statuses.slice(0, 600).every((status) => status === 400)).toBe(true);
    const refused = await proxied.http.request('GET', path, { headers });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect((await proxied.http.get(path)).status).toBe(400);
    await proxied.stop();
  });
});
