/** Every scope with what it lets its holder do, in plain words (external-api.md §2). */
export const SCOPES = {
  'sessions:read': 'List sessions and message metadata',
  'sessions:write': 'Send messages into active sessions',
  'sessions:content': 'Read message content where a key grant exists',
  'machines:read': 'List machines and their state',
  'machines:invoke': 'Run commands on machines',
  'machines:invoke:verified': 'Reserved; opens nothing yet',
  'artifacts:read': 'List artifacts',
  'artifacts:content': 'Read artifact content where a key grant exists',
  'artifacts:write': 'Reserved; opens nothing yet',
  'webhooks:manage': 'Create and revoke webhook subscriptions',
  'usage:read': 'Read API usage counts',
  'profile:read': 'Read account details',
} as const;

export type Scope = keyof typeof SCOPES;
export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

/** Never an app's, whatever a person agrees to: they run commands (external-api.md §2). */
const PAT_ONLY: readonly Scope[] = ['machines:invoke', 'machines:invoke:verified'];

/** What apps may ask for. */
export const APP_SCOPES: readonly Scope[] = SCOPE_NAMES.filter((scope) => !PAT_ONLY.includes(scope));

export function isAppScope(name: string): name is Scope {
  return (APP_SCOPES as readonly string[]).includes(name);
}
