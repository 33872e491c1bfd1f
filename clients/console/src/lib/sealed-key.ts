import { decode } from 'jose/base64url';
import { isSameKey, sealJson, unsealJson, type EncryptionKey } from '@external-api/protocol/portable';
import { createJwkFromSeed, type BrowserKeyPair, type PrivateJwk } from './keys';

/** Generates an account's content key (docs/protocol/encryption.md#content-key), unencrypted until it is sealed. */
export function generateContentJwk(): Promise<PrivateJwk<'X25519'>> {
  return createJwkFromSeed('X25519', crypto.getRandomValues(new Uint8Array(32)));
}

/** Encrypts the account's content key to a device, for an enrollment or for this browser's own storage. */
export function sealContentKey(contentKey: PrivateJwk<'X25519'>, recipient: EncryptionKey): Promise<string> {
  return sealJson(contentKey, recipient);
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
  const { d } = (await unsealJson(sealed, recipient.privateKey)) as { d?: unknown };
  if (typeof d !== 'string' || !/^[\w-]{43}$/.test(d)) throw new Error('The sealed content key is not a valid key.');
  const key = await createJwkFromSeed('X25519', decode(d));
  if (!isSameKey(key, expected)) throw new Error('The sealed content key does not match the enrollment.');
  return key;
}
