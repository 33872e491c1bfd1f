import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRoutePolicy } from '../../../src/access/auth';
import { RateLimitStore } from '../../../src/access/rate-limiting/rate-limit-store';
import { RouteRegistry, type Route } from '../../../src/common/http';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { encodeForm, OAUTH_PATH, postForm, ThirdPartyApp } from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

/** Limit of `RATE_LIMIT_ADDRESS` here. */
const ADDRESS_LIMIT = 5;
/** Limits of the buckets that aren't configured. */
const LIMITS: Record<string, number> = {
  'POST /v1/accounts': 100,
  'POST /v1/accounts/check-username': 100,
  'POST /v1/pairings': 60,
  'GET /external/v1/oauth/authorize': 600,
  'GET /install.sh': 300,
  'GET /packages/{file}': 300,
  'GET /console/link': 600,
  'GET /console/recover': 600,
  'GET /console/sign-in': 600,
  'GET /console/sign-up': 600,
};
/** Documents that the instance holds in memory, and health checks. */
const UNLIMITED = [
  'GET /',
  'GET /.well-known/oauth-authorization-server',
  'GET /console/assets/{version}/*path',
  'GET /console/manifest.webmanifest',
  'GET /console/push/worker.js',
  'GET /docs',
  'GET /docs/assets/{version}/*path',
  'GET /docs/search.json',
  'GET /docs/{page}',
  'GET /docs/{section}/{group}/{page}',
  'GET /docs/{section}/{page}',
  'GET /external/v1/openapi.json',
  'GET /health/live',
  'GET /health/ready',
  'GET /llms.txt',
  'GET /v1/asyncapi.json',
  'GET /v1/openapi.json',
];

describe('calls without a credential', () => {
  let service: Service;
  let serial = 0;
  let routes: Map<string, Route>;
  let store: RateLimitStore;
  const newAddress = () => `203.0.113.${++serial}`;

  beforeAll(async () => {
    service = await Service.start({ TRUST_PROXY: '1', RATE_LIMIT_ADDRESS: String(ADDRESS_LIMIT) });
    const anonymous = service.app
      .get(RouteRegistry, { strict: false })
      .listRoutes()
      .filter((route) => ['public', 'client'].includes(getRoutePolicy(route)!.kind));
    store = service.app.get(RateLimitStore, { strict: false });
    routes = new Map(anonymous.map((route) => [`${route.method} ${route.path}`, route]));
  });
  afterAll(() => service?.stop());

  const call = ({ method, path }: Route, address: string, raw: string): Promise<HttpResponse> => {
    const contentType = path.includes('/oauth/') ? 'application/x-www-form-urlencoded' : 'application/json';
    return service.http.request(method, path.replace(/\{\w+\}/g, 'unknown'), {
      headers: { 'X-Forwarded-For': address, 'Content-Type': contentType },
      ...(method === 'GET' ? {} : { raw }),
    });
  };

  it('are limited on every route that reads a body or the database or sends a package, whatever the body', async () => {
    const limited = [...routes].filter(([name]) => !UNLIMITED.includes(name));
    expect(limited.map(([name]) => name).sort()).toEqual([
      'GET /console/link',
      'GET /console/recover',
      'GET /console/sign-in',
      'GET /console/sign-up',
      'GET /external/v1/oauth/authorize',
      'GET /install.sh',
      'GET /packages/{file}',
      'GET /v1/pairings/{id}',
      'POST /console/session',
      'POST /external/v1/oauth/introspect',
      'POST /external/v1/oauth/revoke',
      'POST /external/v1/oauth/token',
      'POST /v1/accounts',
      'POST /v1/accounts/check-username',
      'POST /v1/auth/challenge',
      'POST /v1/auth/sign-in',
      'POST /v1/pairings',
    ]);
    for (const [name, route] of limited) {
      for (const raw of route.method === 'GET' ? [''] : ['', '{}', '{"a":', '[]', 'x'.repeat(20_000)]) {
        const address = newAddress();
        const limit = LIMITS[name] ?? ADDRESS_LIMIT;
        const countHit = jest.spyOn(store, 'countHit');
        const answers = [await call(route, address, raw)];
        const hit = countHit.mock.calls.find(([key]) => key.endsWith(address));
        countHit.mockRestore();
        // The other calls are only counted: several thousand calls would show nothing more.
        await Promise.all(Array.from({ length: limit - ADDRESS_LIMIT }, () => store.countHit(...hit!)));
        const others = Array.from({ length: ADDRESS_LIMIT - 1 }, () => call(route, address, raw));
        answers.push(...(await Promise.all(others)));
        expect([name, raw.slice(0, 9), new Set(answers.map(({ status }) => status !== 429))]).toEqual([
          name,
          raw.slice(0, 9),
          new Set([true]),
        ]);
        const refused = await call(route, address, raw);
        expect([name, raw.slice(0, 9), refused.status]).toEqual([name, raw.slice(0, 9), 429]);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(refused.headers.get('cache-control')).toMatch(/no-store|no-cache/);
        expect((await call(route, newAddress(), raw)).status).not.toBe(429);
      }
    }
  });

  it('are not limited on documents and health checks, which load balancers and browsers read often', () => {
    expect([...routes.keys()]).toEqual(expect.arrayContaining(UNLIMITED));
  });

  it.each(['/external/v1/oauth/token', '/v1/auth/challenge'])(
    'are limited if their body never ends: %s',
    async (path) => {
      const address = newAddress();
      const { hostname, port } = new URL(service.http.url);
      const type = path.includes('oauth') ? 'application/x-www-form-urlencoded' : 'application/json';
      const head = [`POST ${path} HTTP/1.1`, 'Host: a', `X-Forwarded-For: ${address}`, `Content-Type: ${type}`];
      for (let n = 0; n < ADDRESS_LIMIT; n++) {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => undefined);
        socket.write([...head, 'Content-Length: 9', '', 'a'].join('\r\n'));
        await sleep(50);
        socket.destroy();
      }
      const route = routes.get(`POST ${path}`)!;
      await waitFor(async () => expect((await call(route, address, '')).status).toBe(429));
    },
  );

  it('with unknown app ids share the bucket of their address', async () => {
    const address = newAddress();
    const send = (clientId: string) =>
      service.http.request('POST', '/external/v1/oauth/token', {
        raw: `client_id=${clientId}&client_secret=x`,
        headers: { 'X-Forwarded-For': address, 'Content-Type': 'application/x-www-form-urlencoded' },
      });
    for (let n = 0; n < ADDRESS_LIMIT; n++) expect((await send(`svc_oapp_${n}`)).status).toBe(401);
    const refused = await send('svc_oapp_other');
    expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(refused.headers.get('x-ratelimit-reset')).toBe(refused.headers.get('retry-after'));
    expect(refused.headers.get('ratelimit-policy')).toBe(`"address";q=${ADDRESS_LIMIT};w=60`);
  });

  it('with the id of an app leave that bucket to others, whether the secret is right or wrong', async () => {
    const address = newAddress();
    const app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    const introspect = async (clientId: string, clientSecret: string) => {
      const form = encodeForm({ client_id: clientId, client_secret: clientSecret, token: 'x' });
      const headers = { 'X-Forwarded-For': address };
      return (await postForm(service.http, `${OAUTH_PATH}/introspect`, form, headers)).status;
    };
    for (let n = 0; n < ADDRESS_LIMIT; n++) {
      expect(await introspect(app.clientId, app.clientSecret)).toBe(200);
      expect(await introspect(app.clientId, 'wrong')).toBe(401);
    }
    expect(await introspect('svc_oapp_other', 'x')).toBe(401);
  });
});
