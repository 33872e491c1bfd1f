import { createPrivateKey, type KeyObject } from 'node:crypto';
import {
  computeFingerprint,
  generateKey,
  type EncryptionKey,
  type OkpJwk,
  type PrivateKeyJwk,
  type SigningKey,
} from '@external-api/protocol';

export { createKeyFromSeed, generateKey, isSameKey, parsePublicKey, type PrivateKeyJwk } from '@external-api/protocol';

/** A device's two key pairs (docs/protocol/device-api.md#identity). */
export interface DeviceKeys {
  signing: PrivateKeyJwk<'Ed25519'>;
  encryption: PrivateKeyJwk<'X25519'>;
}

export function generateDeviceKeys(): DeviceKeys {
  return { signing: generateKey('Ed25519'), encryption: generateKey('X25519') };
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
