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
import { SUBSCRIBED_EVENTS, type SubscribedEvent, type WebhookLifecycleState } from './webhook.response.dto';

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
