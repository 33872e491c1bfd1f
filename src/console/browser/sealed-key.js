import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { compactDecrypt } from 'jose/jwe/compact/decrypt';
import { CompactEncrypt } from 'jose/jwe/compact/encrypt';
import { decode } from 'jose/base64url';
import { isSameKey, jwkFromSeed } from './keys.js';

/** @import { Key, PrivateJwk, PublicJwk } from './keys.js' */

const ALG = 'ECDH-ES+A256KW';
const ENC = 'A256GCM';
const HEADER_MEMBERS = ['alg', 'enc', 'epk', 'kid', 'cty', 'apu', 'apv'];

/** A new content key of an account (encryption.md), in the clear only until it is sealed. */
export async function generateContentKey() {
  return jwkFromSeed('X25519', crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * Seals the account's content key to a device, as an enrollment carries it and as a browser keeps its own.
 * @param {PrivateJwk} contentKey
 * @param {PublicJwk} recipient
 */
export async function sealContentKey(contentKey, recipient) {
  const key = await crypto.subtle.importKey('jwk', recipient, 'X25519', true, []);
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(contentKey)))
    .setProtectedHeader({ alg: ALG, enc: ENC })
    .encrypt(key);
}

/**
 * @param {string} sealed
 * @param {Key} recipient
 * @param {PublicJwk} expected the public half that the account is known by
 * @returns {Promise<PrivateJwk>}
 * @throws {Error} when it does not open, or is not the private half of `expected`
 */
export async function unsealContentKey(sealed, recipient, expected) {
  const foreign = Object.keys(decodeProtectedHeader(sealed)).find((name) => !HEADER_MEMBERS.includes(name));
  if (foreign) throw new Error(`The sealed content key has “${foreign}” in its header.`);
  const { plaintext } = await compactDecrypt(sealed, recipient.privateKey, {
    keyManagementAlgorithms: [ALG],
    contentEncryptionAlgorithms: [ENC],
  });
  const { d } = JSON.parse(new TextDecoder().decode(plaintext));
  if (typeof d !== 'string' || !/^[\w-]{43}$/.test(d)) throw new Error('The sealed content key is no key.');
  const key = await jwkFromSeed('X25519', decode(d));
  if (!isSameKey(key, expected)) throw new Error('The sealed content key is not the one of the enrollment.');
  return key;
}
