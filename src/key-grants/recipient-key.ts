import { createPublicKey } from 'node:crypto';
import { registerDecorator } from 'class-validator';
import { calculateJwkThumbprint } from 'jose';

/** A caller's own public key, as it is kept: a JWK without what does not matter here. */
export interface RecipientKey {
  kty: 'OKP' | 'EC';
  crv: 'X25519' | 'P-256';
  x: string;
  y?: string;
  kid?: string;
}

const COORDINATES = { X25519: ['OKP', 'x'], 'P-256': ['EC', 'x', 'y'] } as const;
/** Members that say nothing else than what the key is used for here (RFC 7517 §4). */
const BESIDE: Record<string, (value: unknown) => boolean> = {
  kid: (value) => typeof value === 'string' && /^[\x21-\x7e]{1,128}$/.test(value),
  use: (value) => value === 'enc',
  alg: (value) => value === 'ECDH-ES+A256KW',
  key_ops: (value) => Array.isArray(value) && value.length === 0,
  ext: (value) => typeof value === 'boolean',
};

/** `"service"`, or a public JWK on X25519 or P-256; a private key sent by mistake is refused. */
export function IsRecipient(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isRecipient',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (value: unknown) => value === 'service' || isPublicKey(value),
        defaultMessage: () => '$property must be "service" or a public JWK for encryption on X25519 or P-256',
      },
    });
}

/** What is kept of a valid recipient. */
export function toRecipientKey({ kty, crv, x, y, kid }: RecipientKey): RecipientKey {
  return { kty, crv, x, ...(crv === 'P-256' && { y }), ...(kid !== undefined && { kid }) };
}

export async function thumbprintOf({ kty, crv, x, y }: RecipientKey): Promise<string> {
  return calculateJwkThumbprint({ kty, crv, x, ...(y !== undefined && { y }) });
}

function isPublicKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { kty, crv, ...rest } = value as Record<string, unknown>;
  if (crv !== 'X25519' && crv !== 'P-256') return false;
  const [kind, ...coordinates] = COORDINATES[crv];
  const beside = Object.entries(rest).filter(([name]) => !(coordinates as string[]).includes(name));
  return (
    kty === kind &&
    coordinates.every((name) => isCoordinate(rest[name])) &&
    beside.every(([name, member]) => Object.hasOwn(BESIDE, name) && BESIDE[name]!(member)) &&
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
