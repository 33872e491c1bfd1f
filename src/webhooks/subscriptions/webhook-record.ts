import { ApiProperty } from '@nestjs/swagger';
import { IdField, ObjectField, TimeField } from '../../common/http';
import { EVENT_TYPES, type EventType } from '../../events';

export type WebhookState = 'active' | 'paused' | 'disabled';

/** `*`: all that the creator may see. */
export type SubscribedEvent = EventType | '*';
export const SUBSCRIBED_EVENTS: readonly SubscribedEvent[] = [...EVENT_TYPES, '*'];

/** A row of `webhooks` with what its lane knows of the deliveries. */
export interface WebhookRow {
  id: string;
  account_id: string;
  url: string;
  events: SubscribedEvent[];
  description: string | null;
  state: WebhookState;
  disabled_reason: string | null;
  token_id: string | null;
  app_id: string | null;
  created_at: Date;
  updated_at: Date;
  failing_since: Date | null;
  last_delivery_at: Date | null;
  last_delivery_status: number | null;
}

/** Who made a subscription: both null where a person did it in the console. */
export class WebhookCreatorRecord {
  @IdField('tok')
  tokenId!: string | null;

  /** Client id of the app. */
  @ApiProperty({ example: null })
  appId!: string | null;
}

/** The subscription as the API shows it (webhooks.md, Subscription). */
export class WebhookRecord {
  @IdField('whk')
  id!: string;

  @ObjectField('webhook')
  object!: 'webhook';

  /** @example https://example.com/hooks */
  url!: string;

  /** Event types; `*`: all that its creator may see. */
  @ApiProperty({ enum: SUBSCRIBED_EVENTS, isArray: true, example: ['session.created', 'session.ended'] })
  events!: SubscribedEvent[];

  /** @example Posts to the release channel */
  description!: string | null;

  /**
   * Deliveries go out while it is active, and wait while it is paused or disabled. A disabled one gathers no new ones.
   * @example active
   */
  state!: WebhookState;

  /**
   * `gone`: the endpoint answered 410; `failing`: it failed for five days.
   */
  @ApiProperty({ enum: ['gone', 'failing'], example: null })
  disabledReason!: string | null;

  /** Since when every try has failed. */
  @TimeField(null)
  failingSince!: number | null;

  /** When the last try ended. */
  @TimeField()
  lastDeliveryAt!: number | null;

  /** The HTTP status that it was answered with; null without an answer. */
  @ApiProperty({ type: 'integer', minimum: 100, maximum: 999, example: 200 })
  lastDeliveryStatus!: number | null;

  createdBy!: WebhookCreatorRecord;

  @TimeField()
  createdAt!: number;

  @TimeField()
  updatedAt!: number;
}

/** `POST /webhooks` */
export class WebhookWithSecretRecord {
  data!: WebhookRecord;

  /**
   * The key of its signatures, shown this once; null where the answer is a replay.
   * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD5mXZLSpTyWQ=
   */
  signingSecret!: string | null;
}

/** `GET /webhooks` */
export class WebhookPageRecord {
  data!: WebhookRecord[];

  /** For the next page; null on the last one. */
  @ApiProperty({ example: 'eyJ2IjoxfQ.b3BhcXVl' })
  nextCursor!: string | null;

  /** Every event type there is. */
  @ApiProperty({ enum: EVENT_TYPES, isArray: true, example: EVENT_TYPES })
  availableEvents!: readonly EventType[];
}

export function toWebhookRecord(row: WebhookRow): WebhookRecord {
  return {
    id: row.id,
    object: 'webhook',
    url: row.url,
    events: row.events,
    description: row.description,
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
