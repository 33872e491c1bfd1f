import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { QueryTime } from '../../common/http';
import { PageQuery } from '../../common/pages';
import { EVENT_TYPES, type EventType } from '../../events';
import type { DeliveryState } from './delivery-record';

const MAX_TIME = 8_640_000_000_000_000;

export class DeliveryQuery extends PageQuery {
  @IsOptional()
  @IsIn(['pending', 'delivered', 'failed', 'cancelled'])
  state?: DeliveryState;

  @IsOptional()
  @IsIn(EVENT_TYPES)
  type?: EventType;

  /** Unix ms, inclusive. */
  @QueryTime()
  since?: number;

  /** Unix ms, exclusive. */
  @QueryTime()
  until?: number;
}

export class ReplayDto {
  /** Unix ms, inclusive. */
  @Min(0)
  @Max(MAX_TIME)
  @IsInt()
  since!: number;
}
