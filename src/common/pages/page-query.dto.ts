import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { QueryClampedInteger } from '../http/query-fields';

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;

/** Query parameters of all lists (docs/protocol/external-api.md#pagination). Lists with filters extend this class. */
export class PageQueryDto {
  /** Maximum number of items per page: 1 or more. Values above 200 are clamped to 200. */
  @ApiPropertyOptional({ default: DEFAULT_PAGE_SIZE, example: 20 })
  @QueryClampedInteger(1, MAX_PAGE_SIZE)
  limit?: number;

  /**
   * `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the
   * same values. Cursors don't expire.
   */
  @IsOptional()
  @MaxLength(4096)
  @MinLength(1)
  @IsString()
  cursor?: string;

  /** Sort order: `desc` (newest first) or `asc` (oldest first). */
  @ApiPropertyOptional({ default: 'desc' })
  @IsOptional()
  @IsIn(['asc', 'desc'])
  order?: 'asc' | 'desc';
}
