import { createDecipheriv, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto';
import type { Jwk } from './keys';
import { concatKdf } from './seal';

/** What the foreign device reads: the same forms as in seal.ts, opened with node:crypto alone. */

export interface OpenedJwe {
  header: Record<string, unknown>;
  text: string;
}

/** A compact JWE with ECDH-ES+A256KW and A256GCM (RFC 7518 §4.6). */
export function unseal(jwe: string, recipient: KeyObject): OpenedJwe {
  const { epk } = headerOf(jwe) as { epk: Jwk };
  const secret = diffieHellman({
    privateKey: recipient,
    publicKey: createPublicKey({ key: { ...epk }, format: 'jwk' }),
  });
  const wrapped = Buffer.from(jwe.split('.')[1]!, 'base64url');
  const key = concatKdf(secret, 'ECDH-ES+A256KW');
  const unwrap = createDecipheriv('id-aes256-wrap', key, Buffer.alloc(8, 0xa6));
  return decrypt(jwe, Buffer.concat([unwrap.update(wrapped), unwrap.final()]));
}

/** Content under a data key: `alg: dir` (encryption.md). */
export function decrypt(jwe: string, key: Buffer): OpenedJwe {
  const [header, , iv, text, tag] = jwe.split('.') as [string, string, string, string, string];
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'))
    .setAAD(Buffer.from(header))
    .setAuthTag(Buffer.from(tag, 'base64url'));
  const plain = Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()]);
  return { header: headerOf(jwe), text: plain.toString() };
}

function headerOf(jwe: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwe.split('.')[0]!, 'base64url').toString()) as Record<string, unknown>;
}
