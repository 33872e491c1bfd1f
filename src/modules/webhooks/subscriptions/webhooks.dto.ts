import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { DisplayName } from '../../../common/http';
import { PageQueryDto } from '../../../common/pages';
import { MAX_URL_LENGTH } from '../../webhook-sending';
import { CustomHeadersField, type CustomHeaders } from './custom-headers';
import {
  SUBSCRIBED_EVENTS,
  WEBHOOK_FORMATS,
  type SubscribedEvent,
  type WebhookFormat,
  type WebhookLifecycleState,
} from './webhook.response.dto';

export class CreateWebhookDto {
  /**
   * URL that receives deliveries. It must use https, have no user name or password, and resolve to public addresses.
   */
  @ApiProperty({ example: 'https://example.com/hooks' })
  @MaxLength(MAX_URL_LENGTH)
  @MinLength(1)
  @IsString()
  url!: string;

  /** Event types to subscribe to, or `["*"]` for all events that the caller may see. */
  @ApiProperty({ enum: SUBSCRIBED_EVENTS, isArray: true, example: ['session.created', 'session.ended'] })
  @IsIn(SUBSCRIBED_EVENTS, { each: true })
  @ArrayUnique()
  @ArrayMaxSize(SUBSCRIBED_EVENTS.length)
  @ArrayMinSize(1)
  @IsArray()
  events!: SubscribedEvent[];

  /** Purpose of the webhook, as free text. */
  @IsOptional()
  @DisplayName(500)
  description?: string;

  /**
   * Form of the requests: `standard` (the default) has the event, `slack` and `ntfy` a line with a link to the console.
   */
  @IsOptional()
  @IsIn(WEBHOOK_FORMATS)
  format?: WebhookFormat;

  /**
   * Headers that the requests also have, such as a credential for the receiver. They are stored encrypted, and no
   * response shows their values. Those that the service sets, `Content-*` and headers of one connection are refused.
   */
  @IsOptional()
  @CustomHeadersField()
  headers?: CustomHeaders;
}

/** Changes to a webhook. Absent members do not change. */
export class UpdateWebhookDto {
  @ValidateIf((_, value) => value !== undefined)
  @MaxLength(MAX_URL_LENGTH)
  @MinLength(1)
  @IsString()
  url?: string;

  @ValidateIf((_, value) => value !== undefined)
  @IsIn(SUBSCRIBED_EVENTS, { each: true })
  @ArrayUnique()
  @ArrayMaxSize(SUBSCRIBED_EVENTS.length)
  @ArrayMinSize(1)
  @IsArray()
  events?: SubscribedEvent[];

  /** Purpose of the webhook. An empty string clears it. */
  @ValidateIf((_, value) => value !== '')
  @IsOptional()
  @DisplayName(500)
  description?: string;

  @IsOptional()
  @IsIn(WEBHOOK_FORMATS)
  format?: WebhookFormat;

  /**
   * Replaces all headers that the requests also have. An empty object removes them, and so does a URL with another
   * origin if this is absent.
   */
  @IsOptional()
  @CustomHeadersField()
  headers?: CustomHeaders;
}

export class ListWebhooksQueryDto extends PageQueryDto {
  /** Returns only webhooks in this state. */
  @IsOptional()
  @IsIn(['active', 'paused', 'disabled'])
  state?: WebhookLifecycleState;

  /** Returns only webhooks subscribed to this event type, including those subscribed to `*`. */
  @IsOptional()
  @IsIn(SUBSCRIBED_EVENTS)
  event?: SubscribedEvent;
}

export class RotateWebhookSecretDto {
  /** How long the old secret still signs deliveries, in seconds. If absent, it stops signing immediately. */
  @IsOptional()
  @Min(0)
  @Max(86_400)
  @IsInt()
  overlapSeconds?: number;
}
