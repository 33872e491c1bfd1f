import { type EncryptionKey, sealJson, unsealJson } from '@external-api/protocol';
import { generateKey, createKeyFromSeed, isSameKey, type PrivateKeyJwk } from '../keys';
import { isKeyText } from '../untrusted-values';

/** An account's X25519 key, shared by all its account devices (docs/protocol/encryption.md#content-key). */
export interface ContentKey {
  version: number;
  key: PrivateKeyJwk<'X25519'>;
}

export function generateContentKey(): ContentKey {
  return { version: 1, key: generateKey('X25519') };
}

/** Returns the `sealedContentKey` of an enrollment (docs/protocol/device-api.md#enrollment). */
export function sealContentKey(contentKey: ContentKey, recipient: EncryptionKey): Promise<string> {
  return sealJson(contentKey.key, recipient);
}

/**
 * @param expected the public key in the enrollment
 * @throws Error when the sealed key is not the private key of `expected`
 */
export async function unsealContentKey(
  sealed: string,
  recipient: PrivateKeyJwk<'X25519'>,
  expected: EncryptionKey,
): Promise<PrivateKeyJwk<'X25519'>> {
  const { d } = (await unsealJson(sealed, recipient)) as { d?: unknown };
  if (!isKeyText(d)) throw new Error('The sealed content key is malformed.');
  // Computes the public key from the private key: the sealed JWK could contain any public key.
  const key = createKeyFromSeed('X25519', Buffer.from(d, 'base64url'));
  if (!isSameKey(key, expected)) throw new Error('The sealed content key does not match the enrollment.');
  return key;
}
