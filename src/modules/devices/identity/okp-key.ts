import { createPublicKey, verify } from 'node:crypto';
import { registerDecorator } from 'class-validator';
import type { OkpJwk, SigningKey } from '@external-api/protocol';

/** Validates a public OKP JWK with exactly `kty`, `crv` and `x` (RFC 8037 §2). It rejects private keys. */
export function IsOkpKey(curve: OkpJwk['crv']): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isOkpKey',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (value: unknown) => isOkpKey(curve, value),
        defaultMessage: () => `$property must be a public ${curve} JWK with exactly kty, crv and x`,
      },
    });
}

function isOkpKey(curve: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const key = value as Record<string, unknown>;
  if (Object.keys(key).sort().join() !== 'crv,kty,x' || key.kty !== 'OKP' || key.crv !== curve) return false;
  if (typeof key.x !== 'string') return false;
  const bytes = Buffer.from(key.x, 'base64url');
  return bytes.length === 32 && bytes.toString('base64url') === key.x;
}

/** Verifies an Ed25519 signature (RFC 8032) over the UTF-8 bytes of `message`. */
export function isSignedBy(key: SigningKey, message: string, signature: string): boolean {
  try {
    const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
    return verify(null, Buffer.from(message), publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
