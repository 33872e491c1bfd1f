import { EVENTS, type EventType } from '../../app.manifest';

export { EVENTS, type EventType };

/** Types of all events that the service publishes (docs/protocol/webhooks.md#events). */
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** Event for webhooks and event streams. `data` is the resource as in the API, or its last state if it was deleted. */
export interface DomainEvent {
  type: EventType;
  accountId: string;
  data: object;
  /** W3C Trace Context. Defaults to that of the current request; null: none. */
  traceparent?: string | null;
}

/** Returns whether events of the type belong to a session, whose stream then sends them. */
export function isSessionEventType(type: EventType): boolean {
  return EVENTS[type].session !== undefined;
}

/** Returns the session that the event belongs to, or null. */
export function getEventSessionId({ type, data }: Pick<DomainEvent, 'type' | 'data'>): string | null {
  const { session } = EVENTS[type];
  return session ? ((data as Partial<Record<typeof session, string>>)[session] ?? null) : null;
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
