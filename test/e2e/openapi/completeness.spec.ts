import { getPermittedDeviceKinds, getRoutePolicy } from '../../../src/access/auth';
import { getOperationId, RouteRegistry, type Route } from '../../../src/common/http';
import { getRouteRateLimit } from '../../../src/access/rate-limiting';
import { readOpenApiDocument, type OpenApiNode } from '../../support/conformance';
import { Service } from '../../support/service';

const EXTERNAL_API_PREFIX = '/external/v1';
const ACCOUNT_ROUTES = [
  'POST /v1/account/external-tokens',
  'POST /v1/developer/apps',
  'POST /v1/sessions/{id}/key-grants',
];
const EXPECTED_RATE_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];

describe('the document and the routes', () => {
  const document = readOpenApiDocument();
  let service: Service;
  let routes: Route[];

  beforeAll(async () => {
    service = await Service.start();
    routes = service.app
      .get(RouteRegistry, { strict: false })
      .listRoutes()
      .filter(
        ({ method, path }) =>
          path.startsWith(`${EXTERNAL_API_PREFIX}/`) || ACCOUNT_ROUTES.includes(`${method} ${path}`),
      );
  });
  afterAll(() => service?.stop());

  const operations = Object.entries<OpenApiNode>(document.paths).flatMap(([path, { servers, ...item }]) =>
    Object.entries<OpenApiNode>(item).map(([verb, operation]) => ({
      name: `${verb.toUpperCase()} ${servers ? path : EXTERNAL_API_PREFIX + path}`,
      verb,
      path,
      operation,
    })),
  );
  const part = (given: OpenApiNode): OpenApiNode =>
    given.$ref
      ? (given.$ref as string)
          .slice(2)
          .split('/')
          .reduce((value, name) => value[name], document)
      : given;
  const codesOf = (operation: OpenApiNode, status: number): string[] =>
    Object.keys(part(operation.responses[status] ?? {}).content?.['application/problem+json']?.examples ?? {});

  it('contain the same operations', () => {
    const served = routes.map(({ method, path }) => `${method} ${path}`).sort();
    expect(operations.map(({ name }) => name).sort()).toEqual(served);
  });

  it('have unique operation ids, equal to those of usage counts', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { method, path, handler } of routes) {
      const { operation } = operations.find(({ name }) => name === `${method} ${path}`)!;
      expect(operation.operationId).toBe(getOperationId(handler));
    }
  });

  it('agree on scopes and buckets', () => {
    for (const route of routes) {
      const { operation } = operations.find(({ name }) => name === `${route.method} ${route.path}`)!;
      const policy = getRoutePolicy(route)!;
      if (policy.kind === 'public') {
        expect(operation).toMatchObject({
          security: [],
          'x-required-scopes': [],
          'x-rate-limit-bucket': null,
        });
        continue;
      }
      if (policy.kind === 'client') {
        expect(operation).toMatchObject({ security: [{ client: [] }, {}], 'x-rate-limit-bucket': null });
        continue;
      }
      expect(codesOf(operation, 401)).toEqual(['missing_token', 'invalid_token']);
      expect(codesOf(operation, 403)).toContain('forbidden');
      expect(codesOf(operation, 429)).toContain('rate_limited');
      if (policy.kind === 'device') {
        expect(operation).toMatchObject({
          security: [{ device: [] }],
          'x-required-scopes': [],
          'x-device-kinds': getPermittedDeviceKinds(policy.permission),
          'x-rate-limit-bucket': 'device',
        });
        continue;
      }
      expect(policy.kind).toBe('token');
      const { scopes = [], isPatOnly = false } = policy.kind === 'token' ? policy : {};
      const forApps = !isPatOnly && !scopes.includes('machines:invoke');
      expect(operation.security).toEqual([{ bearer: scopes }, ...(forApps ? [{ oauth: scopes }] : [])]);
      expect(operation['x-required-scopes']).toEqual(scopes);
      expect(operation['x-rate-limit-bucket']).toBe(getRouteRateLimit(route)!.bucket);
      // The types of events that a stream is asked for have scopes of their own.
      const requiresScope = scopes.length > 0 || operation.operationId === 'streamEvents';
      expect(codesOf(operation, 403).includes('insufficient_scope')).toBe(requiresScope);
    }
  });

  it.each(operations)('$name tells its id on every answer, and its bucket on those after it', ({ operation }) => {
    const authenticated = operation['x-rate-limit-bucket'] !== null;
    for (const [status, given] of Object.entries<OpenApiNode>(operation.responses)) {
      const headers = part(given).headers as OpenApiNode;
      expect(part(headers['X-Request-Id']).required).toBe(true);
      const expected = authenticated && status !== '401' ? EXPECTED_RATE_HEADERS : [];
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(expected));
      // A 429 tells the bucket of the address.
      if (expected.length === 0 && status !== '429') expect(headers).not.toHaveProperty('RateLimit');
    }
  });

  const isOAuth = ({ path }: { path: string }) => path.startsWith('/oauth/');

  it.each(operations.filter(isOAuth))('$name has errors as its RFC has them', ({ operation, verb }) => {
    const statuses = Object.keys(operation.responses).filter((status) => Number(status) >= 400);
    expect(statuses).toEqual(expect.arrayContaining(['400', '429', '500', '503']));
    for (const status of statuses) {
      const [type, { example }] = Object.entries<OpenApiNode>(part(operation.responses[status]).content)[0]!;
      expect(type).toBe(verb === 'get' ? 'text/html' : 'application/json');
      if (verb === 'post')
        expect(example).toEqual({ error: expect.any(String), error_description: expect.any(String) });
    }
    expect(statuses.includes('401')).toBe(verb === 'post');
  });

  it.each(operations.filter((each) => !isOAuth(each)))(
    '$name has the errors of its kind',
    ({ operation, verb, path }) => {
      const all = Object.keys(operation.responses).flatMap((status) => codesOf(operation, Number(status)));
      expect(all).toEqual(expect.arrayContaining(['invalid_request', 'not_acceptable', 'internal_error']));
      expect(all.includes('not_found')).toBe(path.includes('{'));
      expect(all.includes('unsupported_media_type')).toBe(verb !== 'get');
      const takesKey = verb === 'post' && operation['x-rate-limit-bucket'] !== 'device';
      expect(all.includes('idempotency_key_reused')).toBe(takesKey);
      // Calls that stop an agent are relayed, but don't wait for the bucket of those that keep it busy.
      const isRelayed = operation['x-rate-limit-bucket'] === 'relay' || /\/(cancel|decision)$/.test(path);
      expect(all.includes('timeout')).toBe(isRelayed);
      // Each of them writes an audit row, also one that only reads.
      if (isRelayed) expect(all).toContain('read_only');
    },
  );

  it.each(operations)('$name gives an example of every answer with a body', ({ operation }) => {
    for (const given of Object.values<OpenApiNode>(operation.responses)) {
      for (const content of Object.values<OpenApiNode>(part(given).content ?? {})) {
        expect(content.example ?? content.examples).toBeTruthy();
      }
    }
  });
});
