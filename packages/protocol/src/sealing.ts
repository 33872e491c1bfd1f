import type { CompactJWEHeaderParameters, CryptoKey, JWK } from 'jose';
import { compactDecrypt } from 'jose/jwe/compact/decrypt';
import { CompactEncrypt } from 'jose/jwe/compact/encrypt';
import { findSealedKeyFormatViolation } from './jwe';
import type { EncryptionKey } from './keys';
import { SEALING_ALGORITHM, SEALING_ENCRYPTION } from './sealed-key';

/** A public P-256 key as a JWK (RFC 7518 §6.2). Only callers of the External API use such keys. */
export interface P256PublicKey {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

/** Private X25519 key: a JWK, or in a browser a key that can't be exported. */
export type PrivateEncryptionKey = (EncryptionKey & { d: string }) | CryptoKey;

/**
 * Seals JSON to a public key: compact JWE, ECDH-ES+A256KW with A256GCM (docs/protocol/encryption.md#sealed-keys).
 * @param kid id of the recipient's key, when the recipient has several
 */
export async function sealJson(
  payload: object,
  recipient: EncryptionKey | P256PublicKey,
  kid?: string,
): Promise<string> {
  const header: CompactJWEHeaderParameters = { alg: SEALING_ALGORITHM, enc: SEALING_ENCRYPTION };
  if (kid !== undefined) header.kid = kid;
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader(header)
    .encrypt(toPublicJwk(recipient));
}

/**
 * Unseals the result of {@link sealJson}. Rejects any other algorithm and unlisted header members.
 * @throws Error
 */
export async function unsealJson(sealed: string, recipient: PrivateEncryptionKey): Promise<unknown> {
  const violation = findSealedKeyFormatViolation(sealed);
  if (violation) throw new Error(`The sealed key ${violation}.`);
  const { plaintext } = await compactDecrypt(sealed, 'd' in recipient ? { ...recipient } : recipient, {
    keyManagementAlgorithms: [SEALING_ALGORITHM],
    contentEncryptionAlgorithms: [SEALING_ENCRYPTION],
  });
  return JSON.parse(new TextDecoder().decode(plaintext));
}

/** Returns the key without its other members, such as an empty `key_ops`, which would forbid its use. */
function toPublicJwk(key: EncryptionKey | P256PublicKey): JWK {
  const { kty, crv, x } = key;
  return 'y' in key ? { kty, crv, x, y: key.y } : { kty, crv, x };
}
