import { ApiProperty } from '@nestjs/swagger';
import type { IdPrefix } from '../ids';

/** A TypeID: 26 Crockford base32 characters of a UUIDv7, of which the first holds three bits (external-api.md §1, Ids). */
export const idPattern = (prefix: IdPrefix) => `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;
export const idExample = (prefix: IdPrefix) => `${prefix}_01m7xsah51f6ctt8c84t8wbh7e`;

/** Documents a record's id of that kind. */
export const IdField = (prefix: IdPrefix) =>
  ApiProperty({ type: String, pattern: idPattern(prefix), example: idExample(prefix) });

/** Documents a point in time: Unix time in milliseconds. */
export const TimeField = (example: number | null = 1_788_255_000_000) =>
  ApiProperty({ type: 'integer', format: 'int64', minimum: 0, example });

/** Documents how many there are of something. */
export const CountField = (example: number, minimum = 0) => ApiProperty({ type: 'integer', minimum, example });

/** Documents the member that names the kind of a record. */
export const ObjectField = (name: string) => ApiProperty({ type: String, enum: [name], example: name });
