import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
} from 'class-validator';
import { MAX_URL_LENGTH } from '../webhook-sending';
import { PUSH_EVENTS, type PushEvent } from './push-subscription.entity';

/** What `PushSubscription.toJSON()` of a browser has in `endpoint` and `keys` (W3C Push API). */
export class CreatePushSubscriptionDto {
  /** URL of the browser's push service. It must use https, and its host be one that the operator allows. */
  @ApiProperty({ example: 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABm' })
  @MaxLength(MAX_URL_LENGTH)
  @MinLength(1)
  @IsString()
  endpoint!: string;

  /** Public key of the browser: an uncompressed point on P-256, base64url. */
  @ApiProperty({ example: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4' })
  @Matches(/^[A-Za-z0-9_-]{87}$/, { message: '$property must be the base64url of 65 bytes' })
  @IsString()
  p256dh!: string;

  /** Authentication secret of the browser: 16 bytes, base64url. */
  @ApiProperty({ example: 'BTBZMqHH6r4Tts7J_aSIgg' })
  @Matches(/^[A-Za-z0-9_-]{22}$/, { message: '$property must be the base64url of 16 bytes' })
  @IsString()
  auth!: string;

  /** What to notify of; all events by default. */
  @ApiProperty({ enum: PUSH_EVENTS, isArray: true, required: false, example: ['permission.requested'] })
  @IsOptional()
  @IsIn(PUSH_EVENTS, { each: true })
  @ArrayUnique()
  @ArrayMaxSize(PUSH_EVENTS.length)
  @ArrayMinSize(1)
  @IsArray()
  events?: PushEvent[];
}
