import { SCOPES, type Scope } from '../../app.manifest';

export { SCOPES, type Scope };

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

/** Scopes that apps may request. */
export const APP_SCOPES: readonly Scope[] = SCOPE_NAMES.filter((scope) => !SCOPES[scope].isPatOnly);

export function isAppScope(name: string): name is Scope {
  return (APP_SCOPES as readonly string[]).includes(name);
}

/** Returns whether the scopes can run commands on machines, directly or through messages that an agent follows. */
export function canReachMachines(scopes: readonly Scope[]): boolean {
  return scopes.some((scope) => SCOPES[scope].reachesMachines);
}
