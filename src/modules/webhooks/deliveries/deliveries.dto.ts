import { IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { MAX_TIME, QueryTime } from '../../../common/http';
import { PageQueryDto } from '../../../common/pages';
import { EVENT_TYPES, type EventType } from '../../../core/events';
import type { WebhookDeliveryState } from './delivery.response.dto';

export class ListDeliveriesQueryDto extends PageQueryDto {
  @IsOptional()
  @IsIn(['pending', 'delivered', 'failed', 'cancelled'])
  state?: WebhookDeliveryState;

  @IsOptional()
  @IsIn(EVENT_TYPES)
  type?: EventType;

  /** ID of the delivered event. Replays of an event have its ID. */
  @IsOptional()
  @Matches(/^evt_[0-9a-z]{26}$/, { message: '$property must be an event ID: evt_ and 26 characters' })
  eventId?: string;

  /** Start of the time range, in Unix ms, inclusive. */
  @QueryTime()
  since?: number;

  /** End of the time range, in Unix ms, exclusive. */
  @QueryTime()
  until?: number;
}

export class ReplayFailedDeliveriesDto {
  /** Replays events created at or after this time, in Unix ms. */
  @Min(0)
  @Max(MAX_TIME)
  @IsInt()
  since!: number;
}
