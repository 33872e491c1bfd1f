import { applyDecorators, Injectable, SetMetadata, type OnApplicationBootstrap } from '@nestjs/common';
import { PublicBodyLimits, RouteRegistry } from '../../common/http';
import type { DevicePermission } from './device-permissions';
import type { Scope } from './scopes';

/** Credential and permission that a route requires. A handler without a policy is never served. */
export type RoutePolicy =
  | { kind: 'public' }
  | { kind: 'client' }
  | { kind: 'token'; scopes: readonly Scope[] }
  | { kind: 'device'; permission: DevicePermission }
  | { kind: 'browser' };

export const ROUTE_POLICY = 'auth:route-policy';

const setRoutePolicy = (policy: RoutePolicy) => SetMetadata(ROUTE_POLICY, policy);

/** External API route: requires a PAT or OAuth token with all of these scopes. Without scopes, any valid token. */
export const RequireScopes = (...scopes: Scope[]) => setRoutePolicy({ kind: 'token', scopes });

/** Device API route: requires a signed-in device whose kind has this permission. */
export const DeviceOnly = (permission: DevicePermission) => setRoutePolicy({ kind: 'device', permission });

/** OAuth endpoint for apps. The handler authenticates the client, because the credentials may be in the body. */
export const ClientOnly = () => setRoutePolicy({ kind: 'client' });

/** Console page: requires the login cookie of a browser, which is an account device. */
export const BrowserOnly = () => setRoutePolicy({ kind: 'browser' });

/** Requires no credential. */
export const Public = () => applyDecorators(setRoutePolicy({ kind: 'public' }), PublicBodyLimits());

export function getRoutePolicy(handler: object): RoutePolicy | undefined {
  return Reflect.getMetadata(ROUTE_POLICY, handler) as RoutePolicy | undefined;
}

/** Fails the startup if a handler declares no policy. */
@Injectable()
export class RoutePolicyValidator implements OnApplicationBootstrap {
  constructor(private readonly routes: RouteRegistry) {}

  onApplicationBootstrap(): void {
    const undeclared = this.routes.listRoutes().filter((route) => !getRoutePolicy(route.handler));
    if (undeclared.length > 0) {
      const names = undeclared.map((route) => `${route.method} ${route.path}`).join(', ');
      throw new Error(`These routes declare no policy: ${names}`);
    }
  }
}
