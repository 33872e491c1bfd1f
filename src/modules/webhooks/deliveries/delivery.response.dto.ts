import { ApiProperty } from '@nestjs/swagger';
import { CountField, IdField, UnixTimeField } from '../../../common/http';
import { isWellFormedId } from '../../../common/ids';
import { EVENT_TYPES, type EventType } from '../../../core/events';
import { type LoggedHeaders, DELIVERY_ERRORS, type DeliveryError } from '../../webhook-sending';

/** `cancelled`: the webhook's owner had lost access to the event when the delivery was due. */
export const WEBHOOK_DELIVERY_STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number];

const STATUS_FIELD = { type: 'integer', nullable: true, minimum: 100, maximum: 999, example: 200 } as const;

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
  response_headers: LoggedHeaders | null;
}

/** Delivery as shown to account devices (docs/protocol/webhooks.md#management). */
export class DeliveryDto {
  @IdField('dlv')
  id!: string;

  /** Id of the event. Replays have the same one. */
  @IdField('evt')
  eventId!: string;

  @ApiProperty({ type: String, enum: EVENT_TYPES, example: 'session.created' })
  type!: EventType;

  /** `cancelled`: the owner of the webhook had lost access to the event when the delivery was due. */
  @ApiProperty({ type: String, enum: WEBHOOK_DELIVERY_STATES, example: 'delivered' })
  state!: WebhookDeliveryState;

  @CountField(1)
  attempts!: number;

  /** HTTP status of the last attempt; null without a response. */
  @ApiProperty({ ...STATUS_FIELD })
  lastStatus!: number | null;

  @UnixTimeField(null)
  nextAttemptAt!: number | null;

  @UnixTimeField()
  createdAt!: number;

  @UnixTimeField()
  finishedAt!: number | null;
}

/** One HTTP request of a delivery. */
export class DeliveryAttemptDto {
  @UnixTimeField()
  at!: number;

  /** HTTP status; null without a complete response. */
  @ApiProperty({ ...STATUS_FIELD })
  status!: number | null;

  @CountField(84)
  durationMs!: number;

  /** Why the attempt failed, where the status doesn't say it. */
  @ApiProperty({ type: String, nullable: true, enum: DELIVERY_ERRORS, example: null })
  error!: DeliveryError | null;

  /** First 4 KiB of the response body. */
  @ApiProperty({ type: String, nullable: true, example: 'ok' })
  response!: string | null;

  /** Response headers by lower-case name, without those whose values may be secrets. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    example: { 'content-type': 'text/plain' },
  })
  responseHeaders!: LoggedHeaders | null;
}

export class DeliveryWithAttemptsDto extends DeliveryDto {
  /** The attempts, oldest first. */
  attemptLog!: DeliveryAttemptDto[];
}

export class ReplayedDeliveriesDto {
  /** Number of new deliveries. */
  @CountField(3)
  count!: number;
  /** Whether there are others, for which the webhook has too many pending deliveries at present. */
  @ApiProperty({ example: false })
  hasMore!: boolean;
}

/** Session or machine that an event is about. */
export interface DeliverySubject {
  kind: 'session' | 'machine';
  id: string;
}

/** Returns the session of the event, else its machine; null if the event has neither. */
export function readDeliverySubject(payload: string): DeliverySubject | null {
  const { data } = JSON.parse(payload) as { data?: Record<'id' | 'sessionId' | 'machineId', unknown> | null };
  const ids = [data?.sessionId, data?.machineId, data?.id].filter((id) => typeof id === 'string');
  for (const id of ids) {
    if (isWellFormedId('ses', id)) return { kind: 'session', id };
    if (isWellFormedId('mch', id)) return { kind: 'machine', id };
  }
  return null;
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
    attemptLog: attemptRows.map((row) => ({
      at: row.at.getTime(),
      status: row.status,
      durationMs: row.duration_ms,
      error: row.error,
      response: row.response,
      responseHeaders: row.response_headers,
    })),
  };
}
