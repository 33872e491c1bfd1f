import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { QueryTime } from '../common/http';
import { PageQuery } from '../common/pages';

const GROUP = '(bucket|token|operation)';

export class UsageQuery extends PageQuery {
  /** Unix ms, inclusive; 30 days before `to` unless given. */
  @QueryTime()
  from?: number;

  /** Unix ms, exclusive; now unless given. */
  @QueryTime()
  to?: number;

  /** How long a period is; a day unless given. */
  @IsOptional()
  @IsIn(['hour', 'day'])
  granularity?: 'hour' | 'day';

  /** A comma list of bucket, token and operation. */
  @IsOptional()
  @Matches(new RegExp(`^${GROUP}(,${GROUP})*$`), {
    message: '$property must be a comma list of bucket, token and operation',
  })
  @MaxLength(64)
  @IsString()
  groupBy?: string;
}
