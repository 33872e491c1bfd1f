import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { QueryTime } from '../../common/http';
import { PageQueryDto } from '../../common/pages';

const GROUP_PATTERN = '(bucket|token|operation)';

export class GetUsageQueryDto extends PageQueryDto {
  /** Start of the range in Unix ms, inclusive; defaults to 30 days before `to`. */
  @QueryTime()
  from?: number;

  /** End of the range in Unix ms, exclusive; defaults to now. */
  @QueryTime()
  to?: number;

  /** Length of a period; defaults to a day. */
  @IsOptional()
  @IsIn(['hour', 'day'])
  granularity?: 'hour' | 'day';

  /** Comma-separated list of `bucket`, `token` and `operation` to group by. */
  @IsOptional()
  @Matches(new RegExp(`^${GROUP_PATTERN}(,${GROUP_PATTERN})*$`), {
    message: '$property must be a comma-separated list of bucket, token and operation',
  })
  @MaxLength(64)
  @IsString()
  groupBy?: string;
}
