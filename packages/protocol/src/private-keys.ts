import { createPrivateKey, randomBytes } from 'node:crypto';
import type { Curve, OkpJwk } from './keys';

export interface PrivateKeyJwk<C extends Curve = Curve> extends OkpJwk<C> {
  /** base64url of the 32 private bytes */
  d: string;
}

/** PKCS #8 prefix of the 32 private bytes (RFC 8410 §7). */
const PKCS8_PREFIX = {
  Ed25519: '302e020100300506032b657004220420',
  X25519: '302e020100300506032b656e04220420',
} as const;

/**
 * Generates a key from 32 random bytes (RFC 8032 §5.1.5, RFC 7748 §5). `generateKeyPairSync` of Node.js 20 can block
 * the process for ever: a garbage collection during the export of its key waits for the lock that the export holds.
 */
export function generateKey<C extends Curve>(curve: C): PrivateKeyJwk<C> {
  return createKeyFromSeed(curve, randomBytes(32));
}

/** @param seed the 32 private bytes */
export function createKeyFromSeed<C extends Curve>(curve: C, seed: Uint8Array): PrivateKeyJwk<C> {
  const der = Buffer.concat([Buffer.from(PKCS8_PREFIX[curve], 'hex'), seed]);
  const { x, d } = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' });
  return { kty: 'OKP', crv: curve, x: x!, d: d! };
}
