import { createPrivateKey, createPublicKey } from 'node:crypto';
import { z } from 'zod';
import type { EncryptionKey } from '../wire';

/** A private X25519 key of the service that key grants are sealed to (encryption.md, Key grants). */
export interface GrantKey {
  kid: string;
  publicKey: EncryptionKey;
  /** base64url of the 32 private bytes */
  d: string;
}

const bytes32 = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

const jwk = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('X25519'),
  x: bytes32,
  d: bytes32,
  kid: z.string().regex(/^[\x21-\x7e]{1,128}$/),
  use: z.literal('enc').optional(),
  alg: z.string().optional(),
});

/** One or more private JWKs (RFC 8037 §2): each with a `kid` of its own, and a public half that belongs to it. */
const grantKeys = z
  .array(jwk)
  .min(1)
  .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length)
  .refine((keys) => new Set(keys.map(({ x }) => x)).size === keys.length)
  .refine((keys) => keys.every(isPair))
  .transform((keys) => keys.map(({ kid, kty, crv, x, d }): GrantKey => ({ kid, publicKey: { kty, crv, x }, d })));

/** The keys in a JSON text, or null when it holds anything else. Keys are secret, so a fault is not described. */
export function parseGrantKeys(text: string): GrantKey[] | null {
  try {
    return grantKeys.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function isPair({ kty, crv, x, d }: z.infer<typeof jwk>): boolean {
  const privateKey = createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' });
  // Node believes the `x` of a JWK; only the other encoding is computed from `d` alone.
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const derived = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return derived.export({ format: 'jwk' }).x === x;
}
