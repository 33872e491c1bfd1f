import { encodeCrockford, groupByFour } from './crockford';

export type Curve = 'Ed25519' | 'X25519';

/** Public Ed25519 key (signing) or X25519 key (receiving sealed keys) as a JWK, RFC 8037 §2. */
export interface OkpJwk<C extends Curve = Curve> {
  kty: 'OKP';
  crv: C;
  /** base64url of the 32 key bytes */
  x: string;
}

export type SigningKey = OkpJwk<'Ed25519'>;
export type EncryptionKey = OkpJwk<'X25519'>;

const FINGERPRINT_BYTES = 10;

/** @throws Error when `value` is not a public OKP key on this curve */
export function parsePublicKey<C extends Curve>(value: unknown, curve: C): OkpJwk<C> {
  const { kty, crv, x } = (value ?? {}) as Record<string, unknown>;
  if (kty !== 'OKP' || crv !== curve || typeof x !== 'string' || !/^[\w-]{43}$/.test(x))
    throw new Error(`Not an ${curve} public key.`);
  return { kty, crv: curve, x };
}

export const isSameKey = (a: OkpJwk, b: OkpJwk): boolean => a.crv === b.crv && a.x === b.x;

/** Returns the text whose SHA-256 digest is the fingerprint of a device with these thumbprints. */
export function joinThumbprints(publicKey: string, encryptionKey: string): string {
  return `${publicKey}.${encryptionKey}`;
}

/** Formats the digest of a device's thumbprints as users compare it (docs/protocol/device-api.md#fingerprint). */
export function formatFingerprint(digest: Uint8Array): string {
  return groupByFour(encodeCrockford(digest.subarray(0, FINGERPRINT_BYTES)));
}
