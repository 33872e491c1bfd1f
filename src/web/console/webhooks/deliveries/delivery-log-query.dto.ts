import { QueryInteger } from '../../../../common/http';
import { FilterField, TimeRangeQueryDto } from '../../forms/time-range-query.dto';

/** Query of a log page with the raw filters of the form, which are validated as a form. */
export class DeliveryLogQueryDto extends TimeRangeQueryDto {
  @FilterField()
  state?: string;

  @FilterField()
  type?: string;

  @FilterField()
  eventId?: string;

  /** Number of replayed events, right after a replay. */
  @QueryInteger(0, Number.MAX_SAFE_INTEGER)
  replayed?: number;
}
