import type { EventType } from '../../events';
import type { DeliveryError } from '../sending/exchange';

/** `cancelled`: when its turn came, its subscription's creator might not be told any more. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled';

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  type: EventType;
  state: DeliveryState;
  attempts: number;
  last_status: number | null;
  next_attempt_at: Date | null;
  created_at: Date;
  finished_at: Date | null;
}

export interface AttemptRow {
  at: Date;
  status: number | null;
  duration_ms: number;
  error: DeliveryError | null;
  response: string | null;
}

/** A delivery as account devices see it (webhooks.md). */
export interface DeliveryRecord {
  id: string;
  eventId: string;
  type: EventType;
  state: DeliveryState;
  attempts: number;
  lastStatus: number | null;
  nextAttemptAt: number | null;
  createdAt: number;
  finishedAt: number | null;
}

export interface DeliveryWithLogRecord extends DeliveryRecord {
  attemptLog: {
    at: number;
    status: number | null;
    durationMs: number;
    error: DeliveryError | null;
    response: string | null;
  }[];
}

export function toDeliveryRecord(row: DeliveryRow): DeliveryRecord {
  return {
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    state: row.state,
    attempts: row.attempts,
    lastStatus: row.last_status,
    nextAttemptAt: row.next_attempt_at?.getTime() ?? null,
    createdAt: row.created_at.getTime(),
    finishedAt: row.finished_at?.getTime() ?? null,
  };
}

export function toDeliveryWithLogRecord(row: DeliveryRow, log: AttemptRow[]): DeliveryWithLogRecord {
  return {
    ...toDeliveryRecord(row),
    attemptLog: log.map(({ at, status, duration_ms: durationMs, error, response }) => ({
      at: at.getTime(),
      status,
      durationMs,
      error,
      response,
    })),
  };
}
