import { QueryInteger } from '../../../../common/http';
import { QueryText } from '../../forms/query-text';
import { TimeRangeQueryDto } from '../../forms/time-range-query.dto';

/** Query of a log page with the raw filters of the form, which are validated as a form. */
export class DeliveryLogQueryDto extends TimeRangeQueryDto {
  @QueryText()
  state?: string;

  @QueryText()
  type?: string;

  @QueryText()
  eventId?: string;

  /** Number of replayed events, right after a replay. */
  @QueryInteger(0, Number.MAX_SAFE_INTEGER)
  replayed?: number;

  /** 1 if there are others to replay. */
  @QueryInteger(0, 1)
  more?: number;
}
