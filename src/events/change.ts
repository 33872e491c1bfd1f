/** Everything that happens to an account's records and is told of (webhooks.md, Types). */
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
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** A committed change of one record. */
export interface Change {
  type: EventType;
  accountId: string;
  /** Of the record; of the session for a message. */
  id: string;
  /** The last `seq` for messages. */
  seq?: number;
  /** The device that made it: it need not be told. */
  byDeviceId: string | null;
}
