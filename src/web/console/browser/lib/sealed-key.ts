import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { compactDecrypt } from 'jose/jwe/compact/decrypt';
import { CompactEncrypt } from 'jose/jwe/compact/encrypt';
import { decode } from 'jose/base64url';
import {
  isSameKey,
  SEALED_KEY_HEADER_MEMBERS,
  SEALING_ALGORITHM,
  SEALING_ENCRYPTION,
  type EncryptionKey,
} from '../../../../protocol/portable';
import { createJwkFromSeed, type BrowserKeyPair, type PrivateJwk } from './keys';

/** Generates an account's content key (docs/protocol/encryption.md#content-key), unencrypted until it is sealed. */
export function generateContentJwk(): Promise<PrivateJwk<'X25519'>> {
  return createJwkFromSeed('X25519', crypto.getRandomValues(new Uint8Array(32)));
}

/** Encrypts the account's content key to a device, for an enrollment or for this browser's own storage. */
export async function sealContentKey(contentKey: PrivateJwk<'X25519'>, recipient: EncryptionKey): Promise<string> {
  const key = await crypto.subtle.importKey('jwk', recipient, 'X25519', true, []);
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(contentKey)))
    .setProtectedHeader({ alg: SEALING_ALGORITHM, enc: SEALING_ENCRYPTION })
    .encrypt(key);
}

/**
 * @param expected the account's public content key
 * @throws Error if decryption fails or the key does not match `expected`
 */
export async function unsealContentKey(
  sealed: string,
  recipient: BrowserKeyPair<'X25519'>,
  expected: EncryptionKey,
): Promise<PrivateJwk<'X25519'>> {
  const foreign = Object.keys(decodeProtectedHeader(sealed)).find((name) => !SEALED_KEY_HEADER_MEMBERS.includes(name));
  if (foreign) throw new Error(`The header of the sealed content key has an unexpected member “${foreign}”.`);
  const { plaintext } = await compactDecrypt(sealed, recipient.privateKey, {
    keyManagementAlgorithms: [SEALING_ALGORITHM],
    contentEncryptionAlgorithms: [SEALING_ENCRYPTION],
  });
  const { d } = JSON.parse(new TextDecoder().decode(plaintext)) as { d?: unknown };
  if (typeof d !== 'string' || !/^[\w-]{43}$/.test(d)) throw new Error('The sealed content key is not a valid key.');
  const key = await createJwkFromSeed('X25519', decode(d));
  if (!isSameKey(key, expected)) throw new Error('The sealed content key does not match the enrollment.');
  return key;
}
