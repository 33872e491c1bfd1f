/** Everything that happens in an account and is told of, by name (webhooks.md, Types). */
export const EVENT_TYPES = [
  'session.created',
  'session.updated',
  'session.ended',
  'session.deleted',
  'message.created',
  'machine.registered',
  'machine.online',
  'machine.offline',
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

/** What happened, for those outside: `data` is the record as the API shows it, its last state when it is gone. */
export interface DomainEvent {
  type: EventType;
  accountId: string;
  data: object;
  /** W3C Trace Context: of the running request unless given; null: of none. */
  traceparent?: string | null;
}

/** That there is something to sync, for the account's own devices. */
export interface ChangeHint {
  type: EventType;
  accountId: string;
  /** Of the record; of the session for a message. */
  id: string;
  /** The last `seq` for messages. */
  seq?: number;
  /** The device that made it: it need not be told. */
  byDeviceId: string | null;
}

/** A change that both are told of: one hint, and an event for each record in `data`. */
export interface Change extends ChangeHint {
  data: object | readonly object[];
}
