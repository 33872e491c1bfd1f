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
