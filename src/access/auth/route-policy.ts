import { applyDecorators, Controller, Injectable, SetMetadata, type OnApplicationBootstrap } from '@nestjs/common';
import { PublicBodyLimits, RouteFact, RouteRegistry, type RouteTarget } from '../../common/http';
import type { DevicePermission } from './device-permissions';
import { findMachineTarget } from './machine-target';
import type { Scope } from './scopes';

/** Credential and permission that a route requires. A handler without a policy is never served. */
export type RoutePolicy =
  | { kind: 'public' }
  | { kind: 'client' }
  | { kind: 'token'; scopes: readonly Scope[]; isPatOnly?: boolean }
  | { kind: 'device'; permission: DevicePermission; acceptsLogin?: boolean }
  | { kind: 'control'; permission: DevicePermission }
  | { kind: 'browser' };

const ROUTE_POLICY = 'auth:route-policy';

const setRoutePolicy = (policy: RoutePolicy) => SetMetadata(ROUTE_POLICY, policy);

/** External API route: requires a PAT or OAuth token with all of these scopes. Without scopes, any valid token. */
export const RequireScopes = (...scopes: Scope[]) => setRoutePolicy({ kind: 'token', scopes });

/** External API route that apps can't call: requires a personal access token with all of these scopes. */
export const RequirePatScopes = (...scopes: Scope[]) => setRoutePolicy({ kind: 'token', scopes, isPatOnly: true });

/** Device API route: requires a signed-in device whose kind has this permission. */
export const DeviceOnly = (permission: DevicePermission) => setRoutePolicy({ kind: 'device', permission });

/**
 * Device API route that the console's scripts call as well, with the login cookie and a CSRF token
 * (docs/protocol/device-api.md#calls-of-a-browser).
 */
export const DeviceOrBrowserOnly = (permission: DevicePermission) =>
  setRoutePolicy({ kind: 'device', permission, acceptsLogin: true });

/** OAuth endpoint for apps. The handler authenticates the client, because the credentials may be in the body. */
export const ClientOnly = () => setRoutePolicy({ kind: 'client' });

/** Console page: requires the login cookie of a browser, which is an account device. */
export const BrowserOnly = () => setRoutePolicy({ kind: 'browser' });

/** Requires no credential. */
export const Public = () => applyDecorators(setRoutePolicy({ kind: 'public' }), PublicBodyLimits());

/**
 * Controller of control routes, which account devices call as scripts call the External API: with a device token, or
 * with the login cookie and a CSRF token. It extends a controller of the External API and serves its handlers below
 * `/v1/control` instead of `/external/v1` (docs/protocol/device-api.md#control).
 */
export const ControlController = (path: string) =>
  applyDecorators(Controller(`v1/control/${path}`), setRoutePolicy({ kind: 'control', permission: 'account.control' }));

/**
 * Returns the policy of the handler. That of a control controller replaces it, for the handlers that it inherits from a
 * controller of the External API. Other policies of controllers, which would hide those of handlers, count as none.
 */
export function getRoutePolicy({ controller, handler }: RouteTarget): RoutePolicy | undefined {
  const handlerPolicy = Reflect.getMetadata(ROUTE_POLICY, handler) as RoutePolicy | undefined;
  const controllerPolicy = Reflect.getOwnMetadata(ROUTE_POLICY, controller) as RoutePolicy | undefined;
  if (!controllerPolicy) return handlerPolicy;
  return controllerPolicy.kind === 'control' && handlerPolicy?.kind === 'token' ? controllerPolicy : undefined;
}

export const routePolicy = new RouteFact(getRoutePolicy);

/** Whether scripts of the console may call the route: with the login cookie and a CSRF token. */
export function acceptsBrowserCalls(policy: RoutePolicy): boolean {
  return policy.kind === 'control' || (policy.kind === 'device' && policy.acceptsLogin === true);
}

/** Fails the startup if a handler declares no policy, or one that `MachineLimitGuard` can't enforce. */
@Injectable()
export class RoutePolicyValidator implements OnApplicationBootstrap {
  constructor(private readonly routes: RouteRegistry) {}

  onApplicationBootstrap(): void {
    this.routes.refuseRoutes('These routes declare no policy', (route) => !getRoutePolicy(route));
    // `MachineLimitGuard` can't tell which machine a route concerns that names neither a machine nor a session.
    this.routes.refuseRoutes('The scopes of these routes reach machines, but their paths name none', (route) => {
      const policy = getRoutePolicy(route);
      return policy?.kind === 'token' && findMachineTarget(policy.scopes, route.path) === 'unknown';
    });
  }
}
