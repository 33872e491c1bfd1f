import { compactDecrypt, CompactEncrypt } from 'jose';
import { createPublicKey } from 'node:crypto';
import { sealedKeyFault, type EncryptionKey } from '../wire';
import { privateKeyObject, publicPart, type PrivateKeyJwk } from './keys';

const ALG = 'ECDH-ES+A256KW';
const ENC = 'A256GCM';

/** Seals a JWK to a public key: compact JWE, ECDH-ES+A256KW with A256GCM (encryption.md, Data key). */
export async function sealJwk(jwk: object, recipient: EncryptionKey): Promise<string> {
  const key = createPublicKey({ key: { ...publicPart(recipient) }, format: 'jwk' });
  return new CompactEncrypt(Buffer.from(JSON.stringify(jwk)))
    .setProtectedHeader({ alg: ALG, enc: ENC })
    .encrypt(key);
}

/**
 * Opens what {@link sealJwk} sealed. Any other algorithm or unlisted header member is refused.
 * @throws Error
 */
export async function unsealJwk(sealed: string, recipient: PrivateKeyJwk<'X25519'>): Promise<unknown> {
  const fault = sealedKeyFault(sealed);
  if (fault) throw new Error(`The sealed key ${fault}.`);
  const { plaintext } = await compactDecrypt(sealed, privateKeyObject(recipient), {
    keyManagementAlgorithms: [ALG],
    contentEncryptionAlgorithms: [ENC],
  });
  return JSON.parse(Buffer.from(plaintext).toString('utf8'));
}
