import { compactDecrypt, CompactEncrypt, type CompactJWEHeaderParameters } from 'jose';
import { createPublicKey } from 'node:crypto';
import {
  findSealedKeyFormatViolation,
  SEALING_ALGORITHM,
  SEALING_ENCRYPTION,
  type EncryptionKey,
} from '../../../protocol';
import { toPrivateKeyObject, type PrivateKeyJwk } from '../keys';

/** A public P-256 key as a JWK (RFC 7518 §6.2). Only callers of the External API use such keys. */
export interface P256PublicKey {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

/**
 * Seals JSON to a public key: compact JWE, ECDH-ES+A256KW with A256GCM (docs/protocol/encryption.md#sealed-keys).
 * @param kid id of the recipient's key, when the recipient has several
 */
export async function sealJson(
  payload: object,
  recipient: EncryptionKey | P256PublicKey,
  kid?: string,
): Promise<string> {
  const key = createPublicKey({ key: { ...recipient }, format: 'jwk' });
  const header: CompactJWEHeaderParameters = { alg: SEALING_ALGORITHM, enc: SEALING_ENCRYPTION };
  if (kid !== undefined) header.kid = kid;
  return new CompactEncrypt(Buffer.from(JSON.stringify(payload))).setProtectedHeader(header).encrypt(key);
}

/**
 * Unseals the result of {@link sealJson}. Rejects any other algorithm and unlisted header members.
 * @throws Error
 */
export async function unsealJson(sealed: string, recipient: PrivateKeyJwk<'X25519'>): Promise<unknown> {
  const violation = findSealedKeyFormatViolation(sealed);
  if (violation) throw new Error(`The sealed key ${violation}.`);
  const { plaintext } = await compactDecrypt(sealed, toPrivateKeyObject(recipient), {
    keyManagementAlgorithms: [SEALING_ALGORITHM],
    contentEncryptionAlgorithms: [SEALING_ENCRYPTION],
  });
  return JSON.parse(Buffer.from(plaintext).toString('utf8'));
}
