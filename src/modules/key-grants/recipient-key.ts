import { createPublicKey } from 'node:crypto';
import { ApiProperty } from '@nestjs/swagger';
import { registerDecorator } from 'class-validator';
import { calculateJwkThumbprint } from 'jose';

/** 32 bytes in base64url. */
const COORDINATE_SCHEMA = { pattern: '^[A-Za-z0-9_-]{43}$' };
const KID_PATTERN = /^[\x21-\x7e]{1,128}$/;

/** Stored public key of a caller: a JWK (RFC 7517) without members that have no effect here. */
export class RecipientKeyDto {
  @ApiProperty({ type: String, enum: ['OKP', 'EC'], example: 'OKP' })
  kty!: 'OKP' | 'EC';

  @ApiProperty({ type: String, enum: ['X25519', 'P-256'], example: 'X25519' })
  crv!: 'X25519' | 'P-256';

  @ApiProperty({ type: String, ...COORDINATE_SCHEMA, example: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08' })
  x!: string;

  @ApiProperty({ type: String, ...COORDINATE_SCHEMA, required: false, description: 'Only for P-256.' })
  y?: string;

  @ApiProperty({ type: String, pattern: KID_PATTERN.source, required: false, example: 'reader-1' })
  kid?: string;
}

/** Documents a member whose value is the recipient of a grant. */
export function RecipientField(description: string): PropertyDecorator {
  return ApiProperty({
    description,
    oneOf: [{ type: 'string', enum: ['service'] }, { $ref: '#/components/schemas/RecipientKey' }],
    example: 'service',
  });
}

const CURVE_COORDINATES = { X25519: ['OKP', 'x'], 'P-256': ['EC', 'x', 'y'] } as const;
/** Checks of optional members (RFC 7517 §4). They must agree with the use of the key for encryption. */
const OPTIONAL_MEMBER_CHECKS: Record<string, (value: unknown) => boolean> = {
  kid: (value) => typeof value === 'string' && KID_PATTERN.test(value),
  use: (value) => value === 'enc',
  alg: (value) => value === 'ECDH-ES+A256KW',
  key_ops: (value) => Array.isArray(value) && value.length === 0,
  ext: (value) => typeof value === 'boolean',
};

/** Validates `"service"` or a public JWK on X25519 or P-256. It rejects private keys. */
export function IsRecipient(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isRecipient',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (value: unknown) => value === 'service' || isRecipientPublicKey(value),
        defaultMessage: () => '$property must be "service" or a public JWK for encryption on X25519 or P-256',
      },
    });
}

/** Returns the members of a valid recipient key that are stored. */
export function pickRecipientKeyMembers({ kty, crv, x, y, kid }: RecipientKeyDto): RecipientKeyDto {
  return { kty, crv, x, ...(crv === 'P-256' && { y }), ...(kid !== undefined && { kid }) };
}

export async function computeRecipientThumbprint({ kty, crv, x, y }: RecipientKeyDto): Promise<string> {
  return calculateJwkThumbprint({ kty, crv, x, ...(y !== undefined && { y }) });
}

/** Returns whether the value is a public JWK for encryption, without a private member. */
export function isRecipientPublicKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { kty, crv, ...rest } = value as Record<string, unknown>;
  if (crv !== 'X25519' && crv !== 'P-256') return false;
  const [keyType, ...coordinates] = CURVE_COORDINATES[crv];
  const otherMembers = Object.entries(rest).filter(([name]) => !(coordinates as string[]).includes(name));
  return (
    kty === keyType &&
    coordinates.every((name) => isCoordinate(rest[name])) &&
    otherMembers.every(
      ([name, member]) => Object.hasOwn(OPTIONAL_MEMBER_CHECKS, name) && OPTIONAL_MEMBER_CHECKS[name]!(member),
    ) &&
    isOnCurve({ kty, crv, ...rest })
  );
}

function isCoordinate(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const bytes = Buffer.from(value, 'base64url');
  return bytes.length === 32 && bytes.toString('base64url') === value;
}

function isOnCurve(key: object): boolean {
  try {
    createPublicKey({ key: { ...key }, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}
