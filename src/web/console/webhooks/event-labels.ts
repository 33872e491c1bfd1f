import type { EventType } from '../../../core/events';

/** Human-readable description of each event type. */
export const EVENT_LABELS: Record<EventType, string> = {
  'session.created': 'A session is created',
  'session.updated': 'A session is updated',
  'session.ended': 'A session ends',
  'session.deleted': 'A session is deleted',
  'message.created': 'A message is created',
  'turn.started': 'An agent starts a turn',
  'turn.requires_action': 'An agent needs a decision',
  'turn.ended': 'A turn of an agent ends',
  'permission.requested': 'An agent asks for permission',
  'permission.decided': 'A permission request is decided',
  'queued_message.ended': 'A queued message is delivered or ends undelivered',
  'machine.registered': 'A machine joins the account',
  'machine.online': 'A machine is online',
  'machine.offline': 'A machine is offline',
  'invocation.ended': 'A long-running command ends',
  'artifact.created': 'A file is created',
  'artifact.updated': 'A file is updated',
  'artifact.deleted': 'A file is deleted',
  'key_grant.created': 'A key to a session is granted',
  'key_grant.revoked': 'A key grant is revoked',
  'token.created': 'A token is created',
  'token.revoked': 'A token is revoked',
  'token.expiring': 'A token expires in a week or tomorrow',
  'relay.completed': 'A call to a device completes',
  'relay.failed': 'A call to a device fails',
  'webhook.test': 'A test event',
};

/** Event types by group. `webhook.test` is missing because every webhook receives it. */
export const EVENT_GROUPS: readonly { name: string; types: readonly EventType[] }[] = [
  {
    name: 'Sessions',
    types: ['session.created', 'session.updated', 'session.ended', 'session.deleted', 'message.created'],
  },
  { name: 'Turns', types: ['turn.started', 'turn.requires_action', 'turn.ended'] },
  { name: 'Approvals', types: ['permission.requested', 'permission.decided'] },
  { name: 'Queued messages', types: ['queued_message.ended'] },
  { name: 'Machines', types: ['machine.registered', 'machine.online', 'machine.offline'] },
  { name: 'Long-running commands', types: ['invocation.ended'] },
  { name: 'Files', types: ['artifact.created', 'artifact.updated', 'artifact.deleted'] },
  { name: 'Calls', types: ['relay.completed', 'relay.failed'] },
  { name: 'Tokens', types: ['token.created', 'token.revoked', 'token.expiring'] },
  { name: 'Keys', types: ['key_grant.created', 'key_grant.revoked'] },
];
