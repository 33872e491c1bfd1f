import { acceptsBrowserCalls, getPermittedDeviceKinds, getRoutePolicy } from '../../../src/access/auth';
import { getRouteRateLimit } from '../../../src/access/rate-limiting';
import { getOperationId, RouteRegistry, type Route } from '../../../src/common/http';
import { readDeviceApiDocument, type OpenApiNode } from '../../support/conformance';
import { Service } from '../../support/service';

const DEVICE = [{ device: [] }];
const DEVICE_OR_LOGIN = [{ device: [] }, { login: [], csrf: [] }];

describe('the document of the account and device API', () => {
  const document = readDeviceApiDocument();
  let service: Service;
  let routes: Route[];

  beforeAll(async () => {
    service = await Service.start();
    routes = service.app
      .get(RouteRegistry, { strict: false })
      .listRoutes()
      .filter(({ path }) => path.startsWith('/v1/'));
  });
  afterAll(() => service?.stop());

  const operations = Object.entries<OpenApiNode>(document.paths).flatMap(([path, item]) =>
    Object.entries<OpenApiNode>(item).map(([verb, operation]) => ({
      name: `${verb.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );
  const findOperation = ({ method, path }: Route) =>
    operations.find(({ name }) => name === `${method} ${path}`)!.operation;
  const resolve = (node: OpenApiNode): OpenApiNode =>
    node.$ref
      ? (node.$ref as string)
          .slice(2)
          .split('/')
          .reduce((value, name) => value[name], document)
      : node;
  const listCodes = (operation: OpenApiNode, status: number): string[] =>
    Object.keys(resolve(operation.responses[status] ?? {}).content?.['application/problem+json']?.examples ?? {});

  it('has every route under /v1, control routes included', () => {
    const served = routes.map(({ method, path }) => `${method} ${path}`);
    expect(operations.map(({ name }) => name).sort()).toEqual(served.sort());
    expect(served).toContain('POST /v1/control/machines/{id}/invoke');
  });

  it('has unique operation ids: those of the handlers, with a prefix for control routes', () => {
    const ids = operations.map(({ operation }) => operation.operationId as string);
    expect(new Set(ids).size).toBe(ids.length);
    for (const route of routes) {
      const id = getOperationId(route.handler)!;
      const isControl = getRoutePolicy(route)!.kind === 'control';
      const expected = isControl ? `control${id[0]!.toUpperCase()}${id.slice(1)}` : id;
      expect(findOperation(route).operationId).toBe(expected);
    }
  });

  it('agrees with the routes on credentials, kinds of device and buckets', () => {
    for (const route of routes) {
      const operation = findOperation(route);
      const policy = getRoutePolicy(route)!;
      if (policy.kind === 'public') {
        expect(operation).toMatchObject({ security: [], 'x-rate-limit-bucket': null });
        expect(operation).not.toHaveProperty('x-device-kinds');
        const isLimited = getRouteRateLimit(route)?.by === 'address' || route.path === '/v1/pairings/{id}';
        expect(listCodes(operation, 429)).toEqual(isLimited ? ['rate_limited'] : []);
        continue;
      }
      if (policy.kind !== 'device' && policy.kind !== 'control') throw new Error(`unexpected ${policy.kind}`);
      expect(operation).toMatchObject({
        security: acceptsBrowserCalls(policy) ? DEVICE_OR_LOGIN : DEVICE,
        'x-device-kinds': getPermittedDeviceKinds(policy.permission),
        'x-rate-limit-bucket': getRouteRateLimit(route)!.bucket,
      });
      expect(listCodes(operation, 401)).toEqual(['missing_token', 'invalid_token']);
      expect(listCodes(operation, 403)).toContain('forbidden');
      expect(listCodes(operation, 429)).toContain('rate_limited');
    }
  });

  it('names the buckets of pairing in a 429, which the External API does not have', () => {
    const bucket = document.components.schemas.RateLimitedProblem.allOf[1].properties.bucket as OpenApiNode;
    expect(bucket['x-extensible-enum']).toEqual(
      expect.arrayContaining(['device', 'sign-up', 'pairing', 'pairing-codes']),
    );
    expect(document).not.toHaveProperty('webhooks');
  });

  it('describes each tag, parameter and example that its operations have', () => {
    const names = (document.tags as OpenApiNode[]).map(({ name }) => name as string);
    expect(new Set(operations.flatMap(({ operation }) => operation.tags as string[]))).toEqual(new Set(names));
    for (const { path, operation } of operations) {
      const parameters = ((operation.parameters ?? []) as OpenApiNode[]).map(resolve);
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      for (const response of Object.values<OpenApiNode>(operation.responses)) {
        for (const content of Object.values<OpenApiNode>(resolve(response).content ?? {})) {
          expect(content.example ?? content.examples).toBeTruthy();
        }
      }
    }
  });
});
