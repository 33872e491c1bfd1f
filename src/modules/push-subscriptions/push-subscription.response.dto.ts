import { ApiProperty } from '@nestjs/swagger';
import { IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { RowOf } from '../../core/database';
import { PUSH_EVENTS, type PushEvent, type PushSubscriptionEntity } from './push-subscription.entity';

export type PushSubscriptionRow = RowOf<PushSubscriptionEntity>;

/** Browser that gets notifications. Its endpoint and keys are never shown. */
export class PushSubscriptionDto {
  @IdField('push')
  id!: string;

  @ObjectTypeField('push_subscription')
  object!: 'push_subscription';

  @IdField('dev')
  deviceId!: string;

  @ApiProperty({ enum: PUSH_EVENTS, isArray: true, example: PUSH_EVENTS })
  events!: PushEvent[];

  @UnixTimeField()
  createdAt!: number;
}

export class PushSubscriptionPageDto {
  data!: PushSubscriptionDto[];

  /** Cursor of the next page. Null on the last page. */
  @ApiProperty({ example: 'eyJ2IjoxfQ.b3BhcXVl' })
  nextCursor!: string | null;

  /** Key with which browsers subscribe (RFC 8292 §4). Null if the operator has not turned notifications on. */
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  })
  applicationServerKey!: string | null;
}

export function toPushSubscriptionDto(row: PushSubscriptionRow): PushSubscriptionDto {
  return {
    id: row.id,
    object: 'push_subscription',
    deviceId: row.device_id,
    events: row.events,
    createdAt: row.created_at.getTime(),
  };
}
