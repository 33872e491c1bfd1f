import { SetMetadata } from '@nestjs/common';
import type { DevicePermission } from './device-permissions';
import type { Scope } from './scopes';

/** What a route asks of its caller. A handler without one is never served. */
export type RoutePolicy =
  | { kind: 'public' }
  | { kind: 'client' }
  | { kind: 'token'; scopes: readonly Scope[] }
  | { kind: 'device'; permission: DevicePermission }
  | { kind: 'session' };

export const ROUTE_POLICY = 'auth:route-policy';

const setPolicy = (policy: RoutePolicy) => SetMetadata(ROUTE_POLICY, policy);

/** An External API route: a PAT or OAuth token that has every one of these scopes; none: any valid token. */
export const RequireScopes = (...scopes: Scope[]) => setPolicy({ kind: 'token', scopes });

/** A route of the account paths: a signed-in device whose kind the allow-list permits this. */
export const DeviceOnly = (permission: DevicePermission) => setPolicy({ kind: 'device', permission });

/** An OAuth endpoint that an app calls; the credentials may stand in the body, so the handler checks them. */
export const ClientOnly = () => setPolicy({ kind: 'client' });

/** A page of the console: the session cookie of a browser, which is an account device. */
export const SessionOnly = () => setPolicy({ kind: 'session' });

/** Anybody, without a credential. */
export const Public = () => setPolicy({ kind: 'public' });

export function policyOf(handler: object): RoutePolicy | undefined {
  return Reflect.getMetadata(ROUTE_POLICY, handler) as RoutePolicy | undefined;
}
