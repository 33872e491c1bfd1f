import { createHash } from 'node:crypto';
import { inGroupsOfFour, toCrockford } from './crockford';

/** A public Ed25519 key (signing) or X25519 key (receiving sealed keys) as a JWK, RFC 8037 §2. */
export interface OkpJwk<C extends 'Ed25519' | 'X25519' = 'Ed25519' | 'X25519'> {
  kty: 'OKP';
  crv: C;
  /** base64url of the 32 key bytes */
  x: string;
}

export type SigningKey = OkpJwk<'Ed25519'>;
export type EncryptionKey = OkpJwk<'X25519'>;

/** The RFC 7638 thumbprint: base64url of SHA-256 over the canonical JWK. */
export function thumbprint(key: OkpJwk): string {
  const canonical = JSON.stringify({ crv: key.crv, kty: key.kty, x: key.x });
  return createHash('sha256').update(canonical).digest('base64url');
}

/** What both screens show so that people can compare them (device-api.md, Enrollment). */
export function fingerprint(publicKey: SigningKey, encryptionKey: EncryptionKey): string {
  const digest = createHash('sha256')
    .update(`${thumbprint(publicKey)}.${thumbprint(encryptionKey)}`)
    .digest();
  return inGroupsOfFour(toCrockford(digest.subarray(0, 10)));
}
