import type { EventType } from '../../events';

/** What each event type tells, as people read it. */
export const EVENT_WORDS: Record<EventType, string> = {
  'session.created': 'A session begins',
  'session.updated': 'A session changes',
  'session.ended': 'A session ends',
  'session.deleted': 'A session is deleted',
  'message.created': 'A message is written',
  'machine.registered': 'A machine joins the account',
  'machine.online': 'A machine comes online',
  'machine.offline': 'A machine goes offline',
  'artifact.created': 'A file is left behind',
  'artifact.updated': 'A file changes',
  'artifact.deleted': 'A file is deleted',
  'key_grant.created': 'Somebody is given the key to a session',
  'key_grant.revoked': 'A key is taken back',
  'token.created': 'A token is made',
  'token.revoked': 'A token is revoked',
  'token.expiring': 'A token expires in a week, or tomorrow',
  'relay.completed': 'A call to a device is answered',
  'relay.failed': 'A call to a device fails',
  'webhook.test': 'A test',
};

/** As they are chosen from; a test is sent whatever was chosen. */
export const EVENT_GROUPS: readonly { name: string; types: readonly EventType[] }[] = [
  {
    name: 'Sessions',
    types: ['session.created', 'session.updated', 'session.ended', 'session.deleted', 'message.created'],
  },
  { name: 'Machines', types: ['machine.registered', 'machine.online', 'machine.offline'] },
  { name: 'Files', types: ['artifact.created', 'artifact.updated', 'artifact.deleted'] },
  { name: 'Calls', types: ['relay.completed', 'relay.failed'] },
  { name: 'Tokens', types: ['token.created', 'token.revoked', 'token.expiring'] },
  { name: 'Keys', types: ['key_grant.created', 'key_grant.revoked'] },
];
