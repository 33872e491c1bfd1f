import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { QueryInteger } from '../http/query-fields';

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;

/** The parameters of every list (external-api.md §1, Pagination); filters are added by extending it. */
export class PageQuery {
  /** How many on a page: 1 or more; above 200 it is clamped to 200. */
  @ApiPropertyOptional({ default: DEFAULT_PAGE_SIZE, example: 20 })
  @QueryInteger(1, Number.MAX_SAFE_INTEGER)
  limit?: number;

  /**
   * `nextCursor` of the page before, unchanged. It carries the filters it was made with: they may be left out, and
   * given they must be equal. It does not expire.
   */
  @IsOptional()
  @MaxLength(4096)
  @MinLength(1)
  @IsString()
  cursor?: string;

  /** Which end the list begins at: `desc`, the newest first, or `asc`. */
  @ApiPropertyOptional({ default: 'desc' })
  @IsOptional()
  @IsIn(['asc', 'desc'])
  order?: 'asc' | 'desc';
}
