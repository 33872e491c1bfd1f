import { databaseImage, query } from '../../../support/database';
import { AccountDevice, ok } from '../../../support/device/foreign-device';
import type { Answer } from '../../../support/http-client';
import { CALLBACK, encode, OAUTH, ThirdParty, type Fields } from '../../../support/oauth/third-party';
import { Service } from '../../../support/service';

describe('a request of which it is not certain where its answer may go (RFC 6749 §3.1.2.4, §4.1.2.1)', () => {
  let service: Service;
  let ada: AccountDevice;
  let app: ThirdParty;
  const isPage = (answer: Answer, words: RegExp) => {
    expect(answer.status).toBe(400);
    expect(answer.headers.get('location')).toBeNull();
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.body).toMatch(words);
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(ada, 'https://app.example/a/callback?tenant=1');
  });
  afterAll(() => service?.stop());

  it.each<[string, Fields]>([
    ['no client', { client_id: null }],
    ['an empty client', { client_id: '' }],
    ['an unknown client', { client_id: `svc_oapp_${'A'.repeat(36)}` }],
    ['a client with a NUL', { client_id: 'svc_oapp_\0' }],
  ])('with %s is a page', async (_, changes) => {
    const image = await databaseImage(service);
    isPage(await app.authorize(changes), /client_id/);
    expect(await databaseImage(service)).toEqual(image);
  });

  it('with a repeated client is a page, even when both are the same', async () => {
    isPage(await app.authorize({ client_id: [app.clientId, app.clientId] }), /client_id is given more than once/);
  });

  it('of a disabled client is a page until it is enabled again', async () => {
    const other = await ThirdParty.register(ada);
    const act = (verb: string) => service.http.post(`/v1/developer/apps/${other.clientId}/${verb}`, ada.token, {});
    ok(await act('disable'), 200);
    isPage(await other.authorize(), /disabled/);
    ok(await act('enable'), 200);
    expect((await other.authorize()).status).toBe(303);
  });

  it.each<[string, Fields]>([
    ['none', { redirect_uri: null }],
    ['an empty one', { redirect_uri: '' }],
    ['two', { redirect_uri: [CALLBACK, CALLBACK] }],
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
  ])('with a redirect URI that has %s is a page (RFC 9700 §2.1)', async (_, changes) => {
    isPage(await app.authorize(changes), /redirect_uri/);
  });

  it('goes before everything else that is wrong with it', async () => {
    isPage(await app.authorize({ redirect_uri: 'https://evil.example/', response_type: 'token', scope: null }), /./);
    isPage(await service.http.get(`${OAUTH}/authorize`), /client_id is missing/);
  });

  it('shows a page that runs nothing, is framed by nobody and kept nowhere, and says no word of the request', async () => {
    const answer = await app.authorize({ redirect_uri: '"><script>alert(1)</script>', state: '<img src=x>' });
    isPage(answer, /redirect_uri is none of those/);
    expect(answer.body).not.toMatch(/<script|<img/);
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';.*frame-ancestors 'none'/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.body).toContain(answer.headers.get('x-request-id'));
  });

  it('keeps nothing', async () => {
    expect(await query(service, 'SELECT 1 FROM oauth_requests WHERE app_id = $1', [app.clientId])).toEqual([]);
  });

  it('is counted by its address at last', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    const proxied = await Service.start({ TRUST_PROXY: '1' });
    const path = `${OAUTH}/authorize?${encode({ client_id: 'x' })}`;
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
