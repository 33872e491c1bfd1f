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
} from 'class-validator';
import { Label } from '../../common/http';
import { PageQuery } from '../../common/pages';
import { MAX_URL_LENGTH } from '../sending/target-url';
import { SUBSCRIBED_EVENTS, type SubscribedEvent, type WebhookState } from './webhook-record';

export class CreateWebhookDto {
  /** Where deliveries go: https, without user name or password, and to public addresses alone. */
  @ApiProperty({ example: 'https://example.com/hooks' })
  @MaxLength(MAX_URL_LENGTH)
  @MinLength(1)
  @IsString()
  url!: string;

  /** Event types, or `["*"]` for all that the caller may see. */
  @ApiProperty({ enum: SUBSCRIBED_EVENTS, isArray: true, example: ['session.created', 'session.ended'] })
  @IsIn(SUBSCRIBED_EVENTS, { each: true })
  @ArrayUnique()
  @ArrayMaxSize(SUBSCRIBED_EVENTS.length)
  @ArrayMinSize(1)
  @IsArray()
  events!: SubscribedEvent[];

  /** What it is for, in its creator's words. */
  @IsOptional()
  @Label(500)
  description?: string;
}

export class WebhookQuery extends PageQuery {
  /** Only those in this state. */
  @IsOptional()
  @IsIn(['active', 'paused', 'disabled'])
  state?: WebhookState;

  /** Only those that this event type is delivered to, `*` among them. */
  @IsOptional()
  @IsIn(SUBSCRIBED_EVENTS)
  event?: SubscribedEvent;
}

export class RotateSecretDto {
  /** How long the old secret signs as well; absent: no more from now on */
  @IsOptional()
  @Min(0)
  @Max(86_400)
  @IsInt()
  overlapSeconds?: number;
}
