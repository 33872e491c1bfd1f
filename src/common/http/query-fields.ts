import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

/** The largest value of PostgreSQL's `integer`. */
export const MAX_INTEGER = 2_147_483_647;
/** The latest time that a JavaScript date can represent. */
export const MAX_TIME = 8_640_000_000_000_000;

/** Declares an optional integer in the query string. */
export function QueryInteger(min: number, max: number, format?: 'int64'): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      minimum: min,
      ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }),
      ...(format && { format }),
    }),
    IsOptional(),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value,
    ),
    IsInt(),
    Min(min),
    Max(max),
  );
}

/** Declares an optional integer of at least `min`. Larger values than `max` are clamped, whatever their length. */
export function QueryClampedInteger(min: number, max: number): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum: min }),
    IsOptional(),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^-?\d+$/.test(value) ? Math.min(Number(value), max) : value,
    ),
    IsInt(),
    Min(min),
  );
}

/** Declares an optional time in the query string, in Unix ms. */
export function QueryTime(): PropertyDecorator {
  return QueryInteger(0, MAX_TIME, 'int64');
}
