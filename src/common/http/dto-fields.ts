import { ApiProperty } from '@nestjs/swagger';
import type { IdPrefix } from '../ids';

/**
 * Returns the pattern of a TypeID: 26 Crockford base32 characters of a UUIDv7, the first of which encodes three bits
 * (docs/protocol/external-api.md#ids).
 */
export const buildIdPattern = (prefix: IdPrefix) => `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;
export const buildIdExample = (prefix: IdPrefix) => `${prefix}_01m7xsah51f6ctt8c84t8wbh7e`;

/** Documents an id with this prefix. */
export const IdField = (prefix: IdPrefix) =>
  ApiProperty({ type: String, pattern: buildIdPattern(prefix), example: buildIdExample(prefix) });

/** Documents the ids of a selection, null if it is not limited. */
export const IdSelectionField = (prefix: IdPrefix) =>
  ApiProperty({
    type: 'array',
    items: { type: 'string', pattern: buildIdPattern(prefix) },
    nullable: true,
    example: [buildIdExample(prefix)],
  });

/** Documents a point in time: Unix time in milliseconds. */
export const UnixTimeField = (example: number | null = 1_788_255_000_000) =>
  ApiProperty({ type: 'integer', format: 'int64', minimum: 0, example });

/** Documents a public OKP key as a JWK with exactly these members (RFC 8037 §2). */
export const PublicKeyField = (curve: 'Ed25519' | 'X25519', { required = true } = {}) =>
  ApiProperty({
    type: 'object',
    description: `Public ${curve} key as a JWK (RFC 8037 §2).`,
    properties: {
      kty: { type: 'string', enum: ['OKP'] },
      crv: { type: 'string', enum: [curve] },
      x: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$', description: 'base64url of the 32 bytes of the key.' },
    },
    required: ['kty', 'crv', 'x'],
    selfRequired: required,
    additionalProperties: false,
    example: { kty: 'OKP', crv: curve, x: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08' },
  });

/** Documents a count. */
export const CountField = (example: number, minimum = 0) => ApiProperty({ type: 'integer', minimum, example });

/** Documents a count that instances of the previous release omit during a rolling deployment. */
export const OptionalCountField = (example: number) =>
  ApiProperty({ type: 'integer', minimum: 0, example, required: false });

/** Documents the `object` member, which names the type of a record. */
export const ObjectTypeField = (name: string) => ApiProperty({ type: String, enum: [name], example: name });
