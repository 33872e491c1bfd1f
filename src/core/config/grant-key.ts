import { createPrivateKey, createPublicKey } from 'node:crypto';
import { z } from 'zod';
import type { EncryptionKey } from '@external-api/protocol';

/** Private X25519 key of the service. Key grants are sealed to it (docs/protocol/encryption.md#key-grants). */
export interface GrantKey {
  kid: string;
  publicKey: EncryptionKey;
  /** base64url of the 32 private bytes */
  d: string;
}

const base64url32Bytes = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

const grantKeyJwk = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('X25519'),
  x: base64url32Bytes,
  d: base64url32Bytes,
  kid: z.string().regex(/^[\x21-\x7e]{1,128}$/),
  use: z.literal('enc').optional(),
  alg: z.string().optional(),
});

/** One or more private JWKs (RFC 8037 §2) with unique `kid`s and matching public keys. */
const grantKeysSchema = z
  .array(grantKeyJwk)
  .min(1)
  .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length)
  .refine((keys) => new Set(keys.map(({ x }) => x)).size === keys.length)
  .refine((keys) => keys.every(isKeyPair))
  .transform((keys) => keys.map(({ kid, kty, crv, x, d }): GrantKey => ({ kid, publicKey: { kty, crv, x }, d })));

/** Returns the keys in a JSON text, or null if it is invalid. Does not describe the error, because keys are secret. */
export function parseGrantKeys(text: string): GrantKey[] | null {
  try {
    return grantKeysSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function isKeyPair({ kty, crv, x, d }: z.infer<typeof grantKeyJwk>): boolean {
  const privateKey = createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' });
  // Node doesn't verify the `x` of a JWK. PKCS #8 contains `d` only, so its public key is computed.
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  const derived = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
  return derived.export({ format: 'jwk' }).x === x;
}
