import { CompactEncrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';

/**
 * Key operations of callers and granting devices. Uses only `jose`, to share no code with the service or other tests.
 */

export interface ReaderKey {
  publicKey: JWK;
  privateKey: JWK;
}

export async function createReaderKey(crv: 'X25519' | 'P-256', kid?: string): Promise<ReaderKey> {
  const pair = await generateKeyPair('ECDH-ES+A256KW', { crv, extractable: true });
  const [publicKey, privateKey] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)]);
  return { publicKey: { ...publicKey, ...(kid && { kid }) }, privateKey };
}

export async function sealWithJose(to: JWK, payload: unknown, header: object = {}): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'ECDH-ES+A256KW', enc: 'A256GCM', ...header })
    .encrypt(await importJWK(to, 'ECDH-ES+A256KW'));
}

/** Encrypts content of any media type for a place with a data key. */
export function encryptWithJose(
  key: Uint8Array,
  header: { kid: string; cty?: string; svc: object },
  content: Uint8Array | string,
): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return new CompactEncrypt(bytes)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', cty: 'text/plain', ...header })
    .encrypt(key);
}
