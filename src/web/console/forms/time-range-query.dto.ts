import { QueryText } from './query-text';

/** Query of a page of records in a range of time. */
export class TimeRangeQueryDto {
  @QueryText()
  since?: string;

  @QueryText()
  until?: string;

  @QueryText(4096)
  cursor?: string;
}
