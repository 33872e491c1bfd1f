import { ApiProperty } from '@nestjs/swagger';
import type { Scope } from '../../../access/auth';
import { IdField, ObjectTypeField, UnixTimeField } from '../../../common/http';
import { EventData, EVENT_TYPES, type EventType } from '../../../core/events';

export type WebhookLifecycleState = 'active' | 'paused' | 'disabled';

/** Why the service has disabled a webhook. */
const DISABLED_REASONS = ['gone', 'failing', 'too_many_pending'] as const;
export type WebhookDisabledReason = (typeof DISABLED_REASONS)[number];

/** Form of the requests (docs/protocol/webhooks.md#formats). */
export const WEBHOOK_FORMATS = ['standard', 'slack', 'ntfy'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** `*` subscribes to all events that the owner may receive. */
export type SubscribedEvent = EventType | '*';
export const SUBSCRIBED_EVENTS: readonly SubscribedEvent[] = [...EVENT_TYPES, '*'];

/** Row of `webhooks`, joined with the delivery state of its endpoint queue. */
export interface WebhookRow {
  id: string;
  account_id: string;
  url: string;
  events: SubscribedEvent[];
  description: string | null;
  format: WebhookFormat;
  header_names: string[];
  state: WebhookLifecycleState;
  disabled_reason: string | null;
  token_id: string | null;
  app_id: string | null;
  scopes: Scope[];
  created_at: Date;
  updated_at: Date;
  failing_since: Date | null;
  last_delivery_at: Date | null;
  last_delivery_status: number | null;
}

/** Creator of a webhook. Both ids are null for webhooks created in the console. */
export class WebhookCreatorDto {
  @IdField('tok')
  tokenId!: string | null;

  /** Client ID of the app. */
  @ApiProperty({ example: null })
  appId!: string | null;
}

/** Webhook resource of the API (docs/protocol/webhooks.md#subscription). */
@EventData()
export class WebhookDto {
  @IdField('whk')
  id!: string;

  @ObjectTypeField('webhook')
  object!: 'webhook';

  /** @example https://example.com/hooks */
  url!: string;

  /** Subscribed event types. `*` means all events that the creator may see. */
  @ApiProperty({ enum: SUBSCRIBED_EVENTS, isArray: true, example: ['session.created', 'session.ended'] })
  events!: SubscribedEvent[];

  /** @example Posts to the release channel */
  description!: string | null;

  /**
   * `standard`: the event as JSON. `slack`: a line with a link to the console, for an incoming webhook of Slack.
   * `ntfy`: the same for a topic of ntfy.
   */
  @ApiProperty({ enum: WEBHOOK_FORMATS, example: 'standard' })
  format!: WebhookFormat;

  /** Lower-case names of the headers that the creator added to the requests. Their values are not shown again. */
  @ApiProperty({ type: String, isArray: true, example: ['authorization'] })
  headerNames!: string[];

  /**
   * Deliveries are sent while the webhook is `active` and wait while it is `paused` or `disabled`. A disabled webhook
   * gets no new deliveries.
   * @example active
   */
  state!: WebhookLifecycleState;

  /**
   * Why the webhook was disabled. `gone`: the endpoint responded with 410. `failing`: it failed for five days.
   * `too_many_pending`: more than 10,000 deliveries were pending.
   */
  @ApiProperty({ enum: DISABLED_REASONS, example: null })
  disabledReason!: string | null;

  /** Time since which every attempt has failed, in Unix ms. Null after a success. */
  @UnixTimeField(null)
  failingSince!: number | null;

  /** Time at which the last attempt ended, in Unix ms. */
  @UnixTimeField()
  lastDeliveryAt!: number | null;

  /** HTTP status of the last attempt. Null without a response. */
  @ApiProperty({ type: 'integer', minimum: 100, maximum: 999, example: 200 })
  lastDeliveryStatus!: number | null;

  createdBy!: WebhookCreatorDto;

  @UnixTimeField()
  createdAt!: number;

  @UnixTimeField()
  updatedAt!: number;
}

/** `POST /webhooks` */
export class WebhookWithSecretDto {
  data!: WebhookDto;

  /**
   * Signing secret, shown only once. Null in the replayed response of an idempotent request.
   * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD5mXZLSpTyWQ=
   */
  signingSecret!: string | null;
}

/** `GET /webhooks` */
export class WebhookPageDto {
  data!: WebhookDto[];

  /** Cursor of the next page. Null on the last page. */
  @ApiProperty({ example: 'eyJ2IjoxfQ.b3BhcXVl' })
  nextCursor!: string | null;

  /** All event types. */
  @ApiProperty({ enum: EVENT_TYPES, isArray: true, example: EVENT_TYPES })
  availableEvents!: readonly EventType[];
}

export function toWebhookDto(row: WebhookRow): WebhookDto {
  return {
    id: row.id,
    object: 'webhook',
    url: row.url,
    events: row.events,
    description: row.description,
    format: row.format,
    headerNames: row.header_names,
    state: row.state,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since?.getTime() ?? null,
    lastDeliveryAt: row.last_delivery_at?.getTime() ?? null,
    lastDeliveryStatus: row.last_delivery_status,
    createdBy: { tokenId: row.token_id, appId: row.app_id },
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  };
}
