import { createDecipheriv, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto';
import type { ForeignJwk } from './keys';
import { deriveConcatKdfKey } from './jwe-encryption';

/** Decryption of the foreign device: the formats of jwe-encryption.ts, with only node:crypto. */

export interface DecryptedJwe {
  header: Record<string, unknown>;
  text: string;
}

/** Decrypts a compact JWE with ECDH-ES+A256KW and A256GCM (RFC 7518 §4.6). */
export function decryptSealedJwe(jwe: string, recipient: KeyObject): DecryptedJwe {
  const { epk } = parseProtectedHeader(jwe) as { epk: ForeignJwk };
  const secret = diffieHellman({
    privateKey: recipient,
    publicKey: createPublicKey({ key: { ...epk }, format: 'jwk' }),
  });
  const wrapped = Buffer.from(jwe.split('.')[1]!, 'base64url');
  const key = deriveConcatKdfKey(secret, 'ECDH-ES+A256KW');
  const unwrap = createDecipheriv('id-aes256-wrap', key, Buffer.alloc(8, 0xa6));
  return decryptContentJwe(jwe, Buffer.concat([unwrap.update(wrapped), unwrap.final()]));
}

/** Decrypts content with a data key, `alg: dir` (docs/protocol/encryption.md#content). */
export function decryptContentJwe(jwe: string, key: Buffer): DecryptedJwe {
  const [header, , iv, text, tag] = jwe.split('.') as [string, string, string, string, string];
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'))
    .setAAD(Buffer.from(header))
    .setAuthTag(Buffer.from(tag, 'base64url'));
  const plain = Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()]);
  return { header: parseProtectedHeader(jwe), text: plain.toString() };
}

function parseProtectedHeader(jwe: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwe.split('.')[0]!, 'base64url').toString()) as Record<string, unknown>;
}
