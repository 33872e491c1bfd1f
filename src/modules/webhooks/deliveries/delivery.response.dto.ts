import type { EventType } from '../../../core/events';
import type { DeliveryError } from '../sending/webhook-exchange';

/** `cancelled`: the webhook's owner had lost access to the event when the delivery was due. */
export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled';

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  type: EventType;
  state: WebhookDeliveryState;
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

/** Delivery as shown to account devices (docs/protocol/webhooks.md#management). */
export interface DeliveryDto {
  id: string;
  eventId: string;
  type: EventType;
  state: WebhookDeliveryState;
  attempts: number;
  lastStatus: number | null;
  nextAttemptAt: number | null;
  createdAt: number;
  finishedAt: number | null;
}

export interface DeliveryWithAttemptsDto extends DeliveryDto {
  attemptLog: {
    at: number;
    status: number | null;
    durationMs: number;
    error: DeliveryError | null;
    response: string | null;
  }[];
}

export function toDeliveryDto(row: DeliveryRow): DeliveryDto {
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

export function toDeliveryWithAttemptsDto(row: DeliveryRow, attemptRows: AttemptRow[]): DeliveryWithAttemptsDto {
  return {
    ...toDeliveryDto(row),
    attemptLog: attemptRows.map(({ at, status, duration_ms: durationMs, error, response }) => ({
      at: at.getTime(),
      status,
      durationMs,
      error,
      response,
    })),
  };
}
