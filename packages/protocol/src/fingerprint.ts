import { createHash } from 'node:crypto';
import { formatFingerprint, joinThumbprints, type EncryptionKey, type OkpJwk, type SigningKey } from './keys';

/** Returns the RFC 7638 thumbprint: base64url of SHA-256 over the canonical JWK. */
export function computeThumbprint(key: OkpJwk): string {
  const canonical = JSON.stringify({ crv: key.crv, kty: key.kty, x: key.x });
  return createHash('sha256').update(canonical).digest('base64url');
}

/** Returns the fingerprint that two devices display for users to compare (docs/protocol/device-api.md#fingerprint). */
export function computeFingerprint(publicKey: SigningKey, encryptionKey: EncryptionKey): string {
  const thumbprints = joinThumbprints(computeThumbprint(publicKey), computeThumbprint(encryptionKey));
  return formatFingerprint(createHash('sha256').update(thumbprints).digest());
}
