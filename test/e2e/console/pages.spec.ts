import { getRoutePolicy } from '../../../src/access/auth';
import { DAY } from '../../../src/common/clock';
import { RouteRegistry, type Route } from '../../../src/common/http';
import { ConsoleClient } from '../../support/console-client';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const OPEN = ['/console/sign-in', '/console/sign-up', '/console/link', '/console/recover'];

/** Takes JSON of the page's script, with the one-time ticket as its CSRF token (consent.spec.ts). */
const CONSENT_DECISION = '/console/consent/{requestId}/decision';

describe('the console’s pages', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let stranger: ConsoleClient;
  let person: ConsoleClient;
  let routes: Route[];

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http, 'ada');
    routes = service.app
      .get(RouteRegistry, { strict: false })
      .listRoutes()
      .filter(({ path }) => path.startsWith('/console'));
  });
  beforeEach(async () => {
    stranger = new ConsoleClient(service.url);
    person = await ConsoleClient.signIn(service.url, ada);
  });
  afterAll(() => service?.stop());

  const forPeople = (method: string) =>
    routes.filter((route) => route.method === method && getRoutePolicy(route)!.kind === 'browser');
  const pathOf = ({ path }: Route) => path.replace(/\{\w+\}/g, 'unknown');

  it.each([...OPEN, '/console', '/console/nowhere'])('set security headers at %s', async (path) => {
    const { headers, html } = await person.get(path);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
        "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(html).not.toMatch(/<script(?![^>]*src=)|\son\w+=|\sstyle=|<style/);
  });

  it('load only existing files from this host', async () => {
    const references = new Set<string>();
    for (const path of [...OPEN, '/console']) {
      const { html } = await person.get(path);
      for (const [, reference] of html.matchAll(/\s(?:href|src|action)="([^"]+)"/g)) references.add(reference!);
    }
    for (const reference of references) {
      if (reference.startsWith('#') || reference === '/console/sign-out') continue;
      expect(reference).toMatch(/^\/(?!\/)/);
      expect([reference, (await person.get(reference)).status]).toEqual([reference, reference === '/docs' ? 302 : 200]);
    }
  });

  it('redirect users without a login to the sign-in page with a return path', async () => {
    expect(forPeople('GET').length).toBeGreaterThan(0);
    for (const route of forPeople('GET')) {
      const path = `${pathOf(route)}?a=1&b=%2F`;
      const { status, headers } = await stranger.get(path);
      const head = await stranger.request('HEAD', path);
      expect([head.status, head.headers.get('location')]).toEqual([status, headers.get('location')]);
      const location = `/console/sign-in?return=${encodeURIComponent(path)}`;
      expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([303, location, 'no-store']);
      expect((await stranger.get(location)).html).toContain(`data-return="${path.replace('&', '&amp;')}"`);
    }
  });

  it.each(['https://evil.example', '//evil.example', '/\\evil.example', '/docs', 'javascript:alert(1)', '"><script>'])(
    'ignore the return path %s after a sign-in',
    async (target) => {
      const { html } = await stranger.get(`/console/sign-in?return=${encodeURIComponent(target)}`);
      expect(html).toContain('data-return="/console"');
      expect(html).not.toContain('evil.example');
      expect(html).not.toContain('"><script>');
    },
  );

  it('reject forms without the CSRF token of their login', async () => {
    const other = await ConsoleClient.signIn(service.url, await ForeignAccountDevice.signUp(service.http));
    const foreign = await other.readCsrfToken();
    const good = await person.readCsrfToken();
    const attempts: (Record<string, string> | string[][])[] = [
      {},
      { csrf: '' },
      { csrf: foreign },
      { csrf: `${good}x` },
      [
        ['csrf', good],
        ['csrf', good],
      ],
    ];
    const posts = forPeople('POST').filter(({ path }) => path !== CONSENT_DECISION);
    expect(posts.map(({ path }) => path)).toContain('/console/sign-out');
    for (const route of posts) {
      for (const form of attempts) {
        const { status, html, headers } = await person.post(pathOf(route), form);
        expect([route.path, status, headers.get('content-type')]).toEqual([
          route.path,
          403,
          'text/html; charset=utf-8',
        ]);
        expect(html).toContain('Access denied');
      }
      expect((await person.post(pathOf(route), { csrf: good }, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    }
    expect((await person.get('/console')).status).toBe(200);
  });

  it('explain when a form is sent after the login has ended', async () => {
    const { status, html } = await stranger.post('/console/sign-out', { csrf: 'x' });
    expect(status).toBe(401);
    expect(html).toContain('You are signed out');
    expect(html).toContain('href="/console/sign-in"');
  });

  it.each([
    ['GET', '/console/nowhere', 404, 'Page not found'],
    ['GET', '/Console/nowhere', 404, 'Page not found'],
    ['GET', '/console/', 404, 'Page not found'],
    ['GET', '/console/sign-out', 405, 'This page can’t be opened this way'],
    ['PUT', '/console', 405, 'This page can’t be opened this way'],
    ['GET', '/console/%ff', 404, 'Page not found'],
    ['GET', '/console/sign-in?return=a&return=b', 400, 'Invalid request'],
  ])('respond to %s %s with %d and an explanation', async (method, path, status, words) => {
    const answer = await person.request(method, path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.html).toContain(words);
    if (status >= 400) expect(answer.html).toContain(answer.headers.get('x-request-id')!);
  });

  it('say what is gone if the object of an action was deleted elsewhere', async () => {
    const csrf = await person.readCsrfToken();
    const { status, html } = await person.post(`/console/webhooks/whk_${'0'.repeat(26)}/delete`, { csrf });
    expect(status).toBe(404);
    expect(html).toContain('There is no such webhook. It may have been deleted or revoked in the meantime.');
    expect(html).not.toContain('Page not found');
  });

  it.each([
    ['GET', '/console/sign-out', 'POST'],
    ['POST', '/console', 'GET'],
  ])('respond to %s %s with the methods of the path: %s', async (method, path, allowed) => {
    const { status, headers } = await person.request(method, path);
    expect([status, headers.get('allow')]).toEqual([405, expect.stringContaining(allowed)]);
  });

  it('respond to scripts in JSON', async () => {
    const answer = await stranger.get('/console/nowhere', { Accept: 'application/json' });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });

  it('ignore unknown query parameters', async () => {
    expect((await person.get('/console?utm_source=mail')).status).toBe(200);
  });

  it('accept only forms of a limited size', async () => {
    const csrf = await person.readCsrfToken();
    const json = { 'Content-Type': 'application/json' };
    expect((await person.request('POST', '/console/sign-out', '{}', json)).status).toBe(415);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await person.request('POST', '/console/sign-out', 'name=caf%E9', form)).status).toBe(415);
    for (const [parameter, status] of [
      ['charset=iso-8859-1', 415],
      ['charset=utf8', 403],
      ['', 403],
    ] as const) {
      const type = { 'Content-Type': `application/x-www-form-urlencoded; ${parameter}` };
      expect((await person.request('POST', '/console/sign-out', 'name=Ada', type)).status).toBe(status);
    }
    expect((await person.post('/console/sign-out', { csrf, more: 'x'.repeat(70_000) })).status).toBe(413);
    expect((await person.get('/console', { Accept: 'image/png' })).status).toBe(406);
  });

  it('consume from the bucket of the device', async () => {
    const { headers } = await person.get('/console');
    expect(headers.get('ratelimit-policy')).toBe('"device";q=1200;w=60');
  });

  it.each(OPEN)('say at %s that they need JavaScript, where there is none', async (path) => {
    expect((await stranger.get(path)).html).toMatch(/<noscript><p[^>]*>[^<]*Turn on JavaScript/);
  });

  it('name active tokens, whatever number of newer ones was revoked', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const client = await ConsoleClient.signIn(service.url, bob);
    const machine = await bob.pairDevice('machine');
    const box = { name: 'box', platform: 'linux' };
    const { data } = expectStatus(await service.http.post('/v1/machines', machine.token, box), 201);
    await bob.createToken(['machines:invoke', 'artifacts:content'], { name: 'still active' });
    await queryDatabase(
      service,
      `WITH revoked AS (
         INSERT INTO external_tokens (id, account_id, name, scopes, created_at, revoked_at)
         SELECT 'tok_' || lpad(n::text, 26, '0'), $1, 'revoked', '{machines:invoke}', $2::timestamptz, now()
           FROM generate_series(1, 200) n RETURNING id)
       INSERT INTO external_token_secrets (hash, token_id, prefix, last4, created_at)
       SELECT convert_to(id, 'UTF8'), id, 'svc_pat_0000', '0000', now() FROM revoked`,
      [bob.accountId, new Date(service.now + DAY)],
    );
    for (const path of [`/console/machines/${data.id}`, `/console/artifacts/art_${'0'.repeat(26)}`]) {
      const { status, html } = await client.get(path);
      expect([status, html]).toEqual([200, expect.stringContaining('still active')]);
    }
  });

  it('show only the request id of an internal error', async () => {
    await queryDatabase(service, 'ALTER TABLE oauth_requests RENAME TO oauth_requests_elsewhere');
    const { status, html, headers } = await person.get('/console/consent/any');
    await queryDatabase(service, 'ALTER TABLE oauth_requests_elsewhere RENAME TO oauth_requests');
    expect([status, headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
    expect(html).toContain('Something went wrong');
    expect(html).toContain(headers.get('x-request-id')!);
    expect(html).not.toContain('oauth_requests');
  });
});
