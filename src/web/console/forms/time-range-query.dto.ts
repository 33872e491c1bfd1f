import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, MaxLength } from 'class-validator';

/** Raw text of a filter in the query of a page. It is validated as a form. */
export const FilterField = (maxLength = 100): PropertyDecorator =>
  applyDecorators(IsString(), MaxLength(maxLength), IsOptional());

/** Query of a page of records in a range of time. */
export class TimeRangeQueryDto {
  @FilterField()
  since?: string;

  @FilterField()
  until?: string;

  @FilterField(4096)
  cursor?: string;
}
