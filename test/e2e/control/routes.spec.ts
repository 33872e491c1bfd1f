import { getRoutePolicy, SCOPE_NAMES } from '../../../src/access/auth';
import { RouteRegistry, type Route } from '../../../src/common/http';
import { expectProblem } from '../../support/problems';
import { RelayFixture } from '../../support/relay-fixture';

const ROUTES = [
  'DELETE /sessions/{id}/queued-messages/{queuedMessageId}',
  'GET /artifacts',
  'GET /artifacts/{id}',
  'GET /events',
  'GET /machines',
  'GET /machines/{id}',
  'GET /machines/{id}/agent-sessions',
  'GET /machines/{id}/invocations',
  'GET /machines/{id}/invocations/{invocationId}',
  'GET /machines/{id}/invocations/{invocationId}/events',
  'GET /machines/{id}/invocations/{invocationId}/output',
  'GET /sessions/{id}/events',
  'GET /sessions/{id}/options',
  'GET /sessions/{id}/permission-requests',
  'GET /sessions/{id}/permission-requests/{permissionId}',
  'GET /sessions/{id}/permission-requests/{permissionId}/content',
  'GET /sessions/{id}/queued-messages',
  'GET /sessions/{id}/turns',
  'GET /sessions/{id}/turns/{turnId}',
  'PATCH /sessions/{id}/options',
  'POST /machines/{id}/invocations',
  'POST /machines/{id}/invocations/{invocationId}/cancel',
  'POST /machines/{id}/invoke',
  'POST /machines/{id}/sessions',
  'POST /sessions/{id}/end',
  'POST /sessions/{id}/messages',
  'POST /sessions/{id}/permission-requests/{permissionId}/decision',
  'POST /sessions/{id}/turns/{turnId}/cancel',
];

describe('the control routes', () => {
  let fixture: RelayFixture;
  let routes: Route[];
  let controlRoutes: Route[];
  let machineToken: string;
  let allScopes: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    routes = [...fixture.service.app.get(RouteRegistry, { strict: false }).listRoutes()];
    controlRoutes = routes.filter(({ path }) => path.startsWith('/v1/control/'));
    machineToken = (await fixture.ada.pairDevice('machine')).token;
    allScopes = (await fixture.ada.createToken([...SCOPE_NAMES])).token;
  });
  afterAll(() => fixture?.stop());

  const call = ({ method, path }: Route, token: string) =>
    fixture.http.request(method, path.replace(/\{\w+\}/g, 'unknown'), { token });
  const readRemaining = async (bucket: 'metadata' | 'relay'): Promise<number> => {
    const { body } = await fixture.http.get('/external/v1/me', allScopes);
    return body.meta.rateLimits[bucket].remaining;
  };

  it('are these, each with the handler of the External API', () => {
    const names = controlRoutes.map(({ method, path }) => `${method} ${path.replace('/v1/control', '')}`);
    expect(names.sort()).toEqual(ROUTES);
    for (const { method, path, handler } of controlRoutes) {
      const externalPath = path.replace('/v1/control', '/external/v1');
      const twin = routes.find((route) => route.method === method && route.path === externalPath);
      expect([externalPath, twin?.handler === handler]).toEqual([externalPath, true]);
      expect(getRoutePolicy(twin!)?.kind).toBe('token');
    }
  });

  it('accept no token of the External API, whatever its scopes', async () => {
    for (const route of controlRoutes) {
      expect(expectProblem(await call(route, allScopes), 401, 'invalid_token').reason).toBe('unknown');
    }
  });

  it('are the only ones of the two that accept account devices', async () => {
    for (const route of controlRoutes) {
      const isStream = route.path === '/v1/control/events';
      const isList = route.path.split('/').length === 4;
      // The stream would stay open.
      const method = isStream ? 'HEAD' : route.method;
      expect(isList ? [200] : [400, 404]).toContain((await call({ ...route, method }, fixture.ada.token)).status);
      const externalRoute = { ...route, path: route.path.replace('/v1/control', '/external/v1') };
      expectProblem(await call(externalRoute, fixture.ada.token), 401, 'invalid_token');
    }
  });

  it('are forbidden to machine devices, which cannot use up the buckets of the account with them', async () => {
    const before = [await readRemaining('relay'), await readRemaining('metadata')];
    for (const route of controlRoutes) expectProblem(await call(route, machineToken), 403, 'forbidden');
    // The two calls to read the buckets consume from one of them.
    expect([await readRemaining('relay'), await readRemaining('metadata')]).toEqual([before[0], before[1]! - 2]);
  });

  it('do not accept calls of other origins', async () => {
    const headers = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'POST' };
    const preflight = await fixture.http.request('OPTIONS', '/v1/control/sessions/unknown/messages', { headers });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });
});
