import { compactDecrypt, CompactEncrypt, type CompactJWEHeaderParameters } from 'jose';
import { createPublicKey } from 'node:crypto';
import { sealedKeyFault, type EncryptionKey } from '../../wire';
import { privateKeyObject, type PrivateKeyJwk } from '../keys';

const ALG = 'ECDH-ES+A256KW';
const ENC = 'A256GCM';

/** A public P-256 key as a JWK (RFC 7518 §6.2); callers of the External API may have one. */
export interface P256Key {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

/**
 * Seals JSON to a public key: compact JWE, ECDH-ES+A256KW with A256GCM (encryption.md, Data key).
 * @param kid which of the recipient's keys it is, where it has several
 */
export async function sealJson(payload: object, recipient: EncryptionKey | P256Key, kid?: string): Promise<string> {
  const key = createPublicKey({ key: { ...recipient }, format: 'jwk' });
  const header: CompactJWEHeaderParameters = { alg: ALG, enc: ENC };
  if (kid !== undefined) header.kid = kid;
  return new CompactEncrypt(Buffer.from(JSON.stringify(payload))).setProtectedHeader(header).encrypt(key);
}

/**
 * Opens what {@link sealJson} sealed. Any other algorithm or unlisted header member is refused.
 * @throws Error
 */
export async function unsealJson(sealed: string, recipient: PrivateKeyJwk<'X25519'>): Promise<unknown> {
  const fault = sealedKeyFault(sealed);
  if (fault) throw new Error(`The sealed key ${fault}.`);
  const { plaintext } = await compactDecrypt(sealed, privateKeyObject(recipient), {
    keyManagementAlgorithms: [ALG],
    contentEncryptionAlgorithms: [ENC],
  });
  return JSON.parse(Buffer.from(plaintext).toString('utf8'));
}
