import type { Clock } from '../../common/clock';
import type { Route, RouteRegistry } from '../../common/http';
import type { Config } from '../../core/config';
import { Deprecated, type Deprecation } from './deprecation';
import { DeprecationsService } from './deprecations.service';

const NOW = Date.UTC(2026, 10, 23);
const DEPRECATION = { message: 'Use the new route.', deprecatedAt: NOW - 1, replacement: null };

describe('DeprecationsService', () => {
  const createRoute = (path: string, deprecation?: Deprecation) => {
    const handler = () => undefined;
    if (deprecation) Deprecated(deprecation)(handler);
    return { method: 'GET', path, handler } as unknown as Route;
  };
  const routes = [
    createRoute('/supported'),
    createRoute('/open', { ...DEPRECATION, id: 'open', sunsetAt: null }),
    createRoute('/later', { ...DEPRECATION, id: 'later', sunsetAt: NOW + 1 }),
    createRoute('/now', { ...DEPRECATION, id: 'now', sunsetAt: NOW }),
  ];
  let now = NOW;
  const service = new DeprecationsService(
    { listRoutes: () => routes } as unknown as RouteRegistry,
    { publicUrl: 'https://api.test' } as Config,
    { now: () => now } as Clock,
  );

  it('lists every deprecated route with its method, path and section of the guide', () => {
    const notices = service.listDeprecations();
    expect(notices.map(({ path }) => path)).toEqual(['/open', '/later', '/now']);
    expect(notices[0]).toEqual({
      ...DEPRECATION,
      id: 'open',
      sunsetAt: null,
      method: 'GET',
      path: '/open',
      docUrl: 'https://api.test/docs/deprecations#open',
    });
  });

  it('stops listing a route as active at its sunset', () => {
    const listActiveIds = () => service.listActiveDeprecations().map(({ id }) => id);
    expect(listActiveIds()).toEqual(['open', 'later']);
    now = NOW + 1;
    expect(listActiveIds()).toEqual(['open']);
  });
});
