/** Scopes and their descriptions for users (docs/protocol/external-api.md#scopes). */
export const SCOPES = {
  'sessions:read': 'List sessions, turns and permission requests, and message metadata',
  'sessions:write': 'Send messages to coding agents, which may act on machines, and stop their turns',
  'sessions:content': 'Read the content of messages and permission requests where a key grant exists',
  'sessions:approve': 'Approve what agents ask to do, which runs as the user of the machine',
  'machines:read': 'List machines and their state',
  'machines:invoke': 'Run commands and start sessions on machines',
  'machines:invoke:verified': 'Reserved; grants no access yet',
  'artifacts:read': 'List artifacts',
  'artifacts:content': 'Read artifact content where a key grant exists',
  'artifacts:write': 'Reserved; grants no access yet',
  'webhooks:manage': 'Create and revoke webhook subscriptions',
  'usage:read': 'Read API usage counts',
  'profile:read': 'Read account details',
} as const;

export type Scope = keyof typeof SCOPES;
export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

/** Scopes that apps never get, even with consent: with them commands run (docs/protocol/external-api.md#scopes). */
const PAT_ONLY: readonly Scope[] = ['sessions:approve', 'machines:invoke', 'machines:invoke:verified'];

/** Scopes that apps may request. */
export const APP_SCOPES: readonly Scope[] = SCOPE_NAMES.filter((scope) => !PAT_ONLY.includes(scope));

export function isAppScope(name: string): name is Scope {
  return (APP_SCOPES as readonly string[]).includes(name);
}

/** Scopes that can run commands on machines, either directly or through messages that an agent follows. */
const MACHINE_ACCESS_SCOPES: readonly Scope[] = ['sessions:write', ...PAT_ONLY];

export function canReachMachines(scopes: readonly Scope[]): boolean {
  return scopes.some((scope) => MACHINE_ACCESS_SCOPES.includes(scope));
}
