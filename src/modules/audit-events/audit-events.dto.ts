import { QueryTime } from '../../common/http';
import { PageQueryDto } from '../../common/pages';

/** Filters of the audit trail. */
export class ListAuditEventsQueryDto extends PageQueryDto {
  /** Returns only events since this time, in Unix ms, inclusive. */
  @QueryTime()
  since?: number;

  /** Returns only events until this time, in Unix ms, exclusive. */
  @QueryTime()
  until?: number;
}
