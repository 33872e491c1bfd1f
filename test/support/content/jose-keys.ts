import { CompactEncrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';

/** Key work of callers and granting devices: `jose` alone, so that it shares nothing with the service or the other tests. */

export interface ReaderKey {
  publicKey: JWK;
  privateKey: JWK;
}

export async function newReaderKey(crv: 'X25519' | 'P-256', kid?: string): Promise<ReaderKey> {
  const pair = await generateKeyPair('ECDH-ES+A256KW', { crv, extractable: true });
  const [publicKey, privateKey] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)]);
  return { publicKey: { ...publicKey, ...(kid && { kid }) }, privateKey };
}

export async function seal(to: JWK, payload: unknown, header: object = {}): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'ECDH-ES+A256KW', enc: 'A256GCM', ...header })
    .encrypt(await importJWK(to, 'ECDH-ES+A256KW'));
}

/** Content of any media type at a place, under a data key. */
export function encrypt(
  key: Uint8Array,
  header: { kid: string; cty?: string; svc: object },
  content: Uint8Array | string,
): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return new CompactEncrypt(bytes)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', cty: 'text/plain', ...header })
    .encrypt(key);
}
