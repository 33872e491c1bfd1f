/** Types of all events that the service publishes (docs/protocol/webhooks.md#events). */
export const EVENT_TYPES = [
  'session.created',
  'session.updated',
  'session.ended',
  'session.deleted',
  'message.created',
  'turn.started',
  'turn.requires_action',
  'turn.ended',
  'permission.requested',
  'permission.decided',
  'queued_message.ended',
  'machine.registered',
  'machine.online',
  'machine.offline',
  'invocation.ended',
  'artifact.created',
  'artifact.updated',
  'artifact.deleted',
  'key_grant.created',
  'key_grant.revoked',
  'token.created',
  'token.revoked',
  'token.expiring',
  'relay.completed',
  'relay.failed',
  'webhook.test',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Event for webhooks and event streams. `data` is the resource as in the API, or its last state if it was deleted. */
export interface DomainEvent {
  type: EventType;
  accountId: string;
  data: object;
  /** W3C Trace Context. Defaults to that of the current request; null: none. */
  traceparent?: string | null;
}

/** Types whose events belong to a session. All others belong to the account alone. */
const SESSION_EVENT_TYPE = /^(session|message|turn|permission|queued_message)\./;

/** Returns whether events of the type belong to a session, whose stream then sends them. */
export function isSessionEventType(type: EventType): boolean {
  return SESSION_EVENT_TYPE.test(type);
}

/** Returns the session that the event belongs to, or null. */
export function getEventSessionId({ type, data }: Pick<DomainEvent, 'type' | 'data'>): string | null {
  if (!isSessionEventType(type)) return null;
  const { id, sessionId } = data as { id?: string; sessionId?: string };
  return (type.startsWith('session.') ? id : sessionId) ?? null;
}

/** Sync notification to the account's own devices. */
export interface AccountSyncNotification {
  type: EventType;
  accountId: string;
  /** Id of the resource; of the session for its messages, turns and requests, of the machine for invocations. */
  id: string;
  /** The last `seq`, for messages. */
  seq?: number;
  /** Device that made the change, which is not notified. */
  byDeviceId: string | null;
  /** Machine device that hosts the resource. Others can't read it and aren't notified. */
  hostDeviceId: string | null;
}

/** Change for devices and webhooks: one sync notification, and one event per resource in `data`. */
export interface DomainChange extends AccountSyncNotification {
  data: object | readonly object[];
}
