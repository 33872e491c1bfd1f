import { canReachMachines, type Scope } from './scopes';

/**
 * What a route may reach machines through: the machine or the session that its path names, or neither, which the
 * startup refuses. `none` if its scopes reach no machine.
 */
export type MachineTarget = 'machine' | 'session' | 'unknown' | 'none';

/**
 * @param scopes those that the route requires of a token
 * @param path template of the route, in the syntax of Express or OpenAPI
 */
export function findMachineTarget(scopes: readonly Scope[], path: string): MachineTarget {
  if (!canReachMachines(scopes)) return 'none';
  const [, kind] = /^\/external\/v1\/(machine|session)s\/(?::id|\{id\})(?:\/|$)/.exec(path) ?? [];
  return (kind as 'machine' | 'session' | undefined) ?? 'unknown';
}
