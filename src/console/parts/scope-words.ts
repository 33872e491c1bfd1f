import type { Scope } from '../../auth';

/** A scope as people read it, wherever they are asked for one or choose one. */
export interface ScopeWords {
  /** What it lets its holder do, as a sentence after "It may". */
  may: string;
  /** What to think of before agreeing. */
  mind?: string;
}

export const SCOPE_WORDS: Record<Scope, ScopeWords> = {
  'sessions:read': {
    may: 'See your sessions, and who wrote when in them',
    mind: 'Never what was written.',
  },
  'sessions:write': {
    may: 'Send messages into your active sessions',
    mind: 'What answers there may act on your machines.',
  },
  'sessions:content': {
    may: 'Read the messages of sessions that you share with it',
    mind: 'Only where a device of yours has granted the key.',
  },
  'machines:read': { may: 'See your machines and whether they are online' },
  'machines:invoke': {
    may: 'Run commands on your machines',
    mind: 'It can do there whatever the user can who runs the machine.',
  },
  'machines:invoke:verified': { may: 'Nothing yet: reserved for later' },
  'artifacts:read': { may: 'See which files your sessions left behind', mind: 'Never what is in them.' },
  'artifacts:content': {
    may: 'Read the files that you share with it',
    mind: 'Only where a device of yours has granted the key.',
  },
  'artifacts:write': { may: 'Nothing yet: reserved for later' },
  'webhooks:manage': { may: 'Have events of your account sent to addresses of its choice' },
  'usage:read': { may: 'See how much you use the API' },
  'profile:read': { may: 'See what your account is called, and since when it exists' },
};
