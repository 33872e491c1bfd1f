import { RouteRegistry, type Route } from '../../../src/common/http';
import { readDeviceApiDocument, readOpenApiDocument, type OpenApiNode } from '../../support/conformance';
import { Service } from '../../support/service';

/** Surfaces that are no JSON API: pages, their assets, probes, RFC 8414 metadata, and what a computer installs. */
const OTHER_SURFACES = [
  /^\/(llms\.txt)?$/,
  /^\/console(\/|$)/,
  /^\/docs(\/|$)/,
  /^\/health\//,
  /^\/\.well-known\//,
  /^\/install\.sh$/,
  /^\/packages\//,
];

describe('the routes outside of the OpenAPI documents', () => {
  let service: Service;
  let routes: readonly Route[];

  beforeAll(async () => {
    service = await Service.start();
    routes = service.app.get(RouteRegistry, { strict: false }).listRoutes();
  });
  afterAll(() => service?.stop());

  it('are pages, probes and packages', () => {
    const listNames = (document: OpenApiNode, root: string) =>
      Object.entries<OpenApiNode>(document.paths).flatMap(([path, { servers, ...item }]) =>
        Object.keys(item).map((verb) => `${verb.toUpperCase()} ${servers ? path : root + path}`),
      );
    const documented = new Set([
      ...listNames(readOpenApiDocument(), '/external/v1'),
      ...listNames(readDeviceApiDocument(), ''),
    ]);
    const undocumented = routes
      .filter(({ path }) => !OTHER_SURFACES.some((surface) => surface.test(path)))
      .map(({ method, path }) => `${method} ${path}`)
      .filter((name) => !documented.has(name));
    expect(documented.size).toBeGreaterThan(100);
    expect(undocumented).toEqual([]);
  });
});
