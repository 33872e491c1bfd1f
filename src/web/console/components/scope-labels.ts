import type { Scope } from '../../../access/auth';

/** Human-readable description of a scope, used in forms, lists and on the consent page. */
export interface ScopeLabel {
  /** What the scope allows, as an imperative phrase. */
  text: string;
  /** A risk or limit to consider before granting the scope. */
  caution?: string;
}

export const SCOPE_LABELS: Record<Scope, ScopeLabel> = {
  'sessions:read': {
    text: 'See your sessions, and who sent messages and when',
    caution: 'Not the content of the messages.',
  },
  'sessions:write': {
    text: 'Send messages to your coding agents, which may act on your machines, and stop their turns',
    caution: 'The agents may run commands on your machines in response.',
  },
  'sessions:content': {
    text: 'Read the messages of sessions you share with it, and what agents ask there',
    caution: 'Only where one of your devices has granted the key.',
  },
  'sessions:approve': {
    text: 'Approve what your agents ask to do',
    caution: 'What it approves runs on the machine with all rights of the machine’s user.',
  },
  'machines:read': { text: 'See your machines and whether they are online' },
  'machines:invoke': {
    text: 'Run commands and start sessions on your machines',
    caution: 'It can do anything on the machine that the machine’s user can do.',
  },
  'machines:invoke:verified': { text: 'Reserved for later use; allows nothing yet' },
  'artifacts:read': { text: 'See the files your sessions have created', caution: 'Not their content.' },
  'artifacts:content': {
    text: 'Read the files you share with it',
    caution: 'Only where one of your devices has granted the key.',
  },
  'artifacts:write': { text: 'Reserved for later use; allows nothing yet' },
  'webhooks:manage': { text: 'Send your account’s events to URLs of its choice' },
  'usage:read': { text: 'See your API usage' },
  'profile:read': { text: 'See your username and when the account was created' },
};
