import { createPrivateKey, randomBytes, type KeyObject } from 'node:crypto';
import { computeFingerprint, type EncryptionKey, type OkpJwk, type SigningKey } from '../../protocol';

export { isSameKey, parsePublicKey } from '../../protocol';

export interface PrivateKeyJwk<C extends 'Ed25519' | 'X25519' = 'Ed25519' | 'X25519'> extends OkpJwk<C> {
  /** base64url of the 32 private bytes */
  d: string;
}

/** A device's two key pairs (docs/protocol/device-api.md#identity). */
export interface DeviceKeys {
  signing: PrivateKeyJwk<'Ed25519'>;
  encryption: PrivateKeyJwk<'X25519'>;
}

/** PKCS #8 prefix of the 32 private bytes (RFC 8410 §7). */
const PKCS8_PREFIX = {
  Ed25519: '302e020100300506032b657004220420',
  X25519: '302e020100300506032b656e04220420',
} as const;

export function generateDeviceKeys(): DeviceKeys {
  return { signing: generateKey('Ed25519'), encryption: generateKey('X25519') };
}

/**
 * Generates a key from 32 random bytes (RFC 8032 §5.1.5, RFC 7748 §5). `generateKeyPairSync` of Node.js 20 can block
 * the process: a garbage collection during the export of its key waits for the lock that the export holds.
 */
export function generateKey<C extends 'Ed25519' | 'X25519'>(curve: C): PrivateKeyJwk<C> {
  return createKeyFromSeed(curve, randomBytes(32));
}

/** @param seed the 32 private bytes */
export function createKeyFromSeed<C extends 'Ed25519' | 'X25519'>(curve: C, seed: Uint8Array): PrivateKeyJwk<C> {
  const der = Buffer.concat([Buffer.from(PKCS8_PREFIX[curve], 'hex'), seed]);
  return toJwk(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }), curve);
}

export function toPrivateKeyObject(key: PrivateKeyJwk): KeyObject {
  return createPrivateKey({ key: { kty: key.kty, crv: key.crv, x: key.x, d: key.d }, format: 'jwk' });
}

export function toPublicKey<C extends 'Ed25519' | 'X25519'>(key: OkpJwk<C>): OkpJwk<C> {
  return { kty: 'OKP', crv: key.crv, x: key.x };
}

export function getPublicKeys(keys: DeviceKeys): { publicKey: SigningKey; encryptionKey: EncryptionKey } {
  return { publicKey: toPublicKey(keys.signing), encryptionKey: toPublicKey(keys.encryption) };
}

export function computeDeviceFingerprint(keys: DeviceKeys): string {
  return computeFingerprint(toPublicKey(keys.signing), toPublicKey(keys.encryption));
}

function toJwk<C extends 'Ed25519' | 'X25519'>(key: KeyObject, curve: C): PrivateKeyJwk<C> {
  const { x, d } = key.export({ format: 'jwk' }) as { x: string; d: string };
  return { kty: 'OKP', crv: curve, x, d };
}
