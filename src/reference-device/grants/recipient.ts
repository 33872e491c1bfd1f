import { createPublicKey } from 'node:crypto';
import type { EncryptionKey } from '../../wire';
import type { P256Key } from '../content/sealing';

/** A caller's own public key, as a grant names it (encryption.md, Key grants). */
export type RecipientKey = (EncryptionKey | P256Key) & { kid?: string };

type Members = Record<string, unknown>;

/** Of RFC 7518 §6: whoever has one of these can open what is sealed. */
const PRIVATE = ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi'];

/**
 * Reads a JWK on X25519 or P-256 and leaves out what a grant does not need.
 * @throws Error in words for whoever made the file
 */
export function parseRecipient(text: string): RecipientKey {
  const jwk = parseObject(text);
  if (Array.isArray(jwk.keys)) throw new Error('It is a set of keys: give one of them.');
  if (PRIVATE.some((name) => name in jwk))
    throw new Error('It is a private key, which nobody else may have: give its public half, without "d".');
  if (jwk.use !== undefined && jwk.use !== 'enc') throw new Error('It is not a key for encryption ("use").');
  const key = publicKey(jwk);
  if (jwk.kid === undefined) return key;
  if (typeof jwk.kid !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(jwk.kid))
    throw new Error('Its "kid" is not 1 to 128 visible characters.');
  return { ...key, kid: jwk.kid };
}

function publicKey({ kty, crv, x, y }: Members): EncryptionKey | P256Key {
  const key = { kty, crv, x, ...(crv === 'P-256' && { y }) } as EncryptionKey | P256Key;
  const known = (kty === 'OKP' && crv === 'X25519') || (kty === 'EC' && crv === 'P-256');
  if (!known) throw new Error('It is no key on X25519 (kty "OKP") or P-256 (kty "EC").');
  try {
    createPublicKey({ key: { ...key }, format: 'jwk' });
    return key;
  } catch (error) {
    throw new Error(`It is no point on ${key.crv}: its coordinates are damaged.`, { cause: error });
  }
}

function parseObject(text: string): Members {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Members;
  } catch {
    // Said below.
  }
  throw new Error('It is no JSON Web Key, such as {"kty":"OKP","crv":"X25519","x":"…"}.');
}
