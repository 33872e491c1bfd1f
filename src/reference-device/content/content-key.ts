import type { EncryptionKey } from '../../wire';
import { generateKey, keyFromSeed, sameKey, type PrivateKeyJwk } from '../keys';
import { sealJson, unsealJson } from './sealing';

/** An account's X25519 key, which all its account devices hold (encryption.md, Content key). */
export interface ContentKey {
  version: number;
  key: PrivateKeyJwk<'X25519'>;
}

export function generateContentKey(): ContentKey {
  return { version: 1, key: generateKey('X25519') };
}

/** The `sealedContentKey` of an enrollment (device-api.md). */
export function sealContentKey(contentKey: ContentKey, recipient: EncryptionKey): Promise<string> {
  return sealJson(contentKey.key, recipient);
}

/**
 * @param expected the public half that the enrollment vouches for
 * @throws Error when what is sealed is not the private half of `expected`
 */
export async function unsealContentKey(
  sealed: string,
  recipient: PrivateKeyJwk<'X25519'>,
  expected: EncryptionKey,
): Promise<PrivateKeyJwk<'X25519'>> {
  const { d } = (await unsealJson(sealed, recipient)) as { d?: unknown };
  if (typeof d !== 'string' || !/^[\w-]{43}$/.test(d)) throw new Error('The sealed content key is no key.');
  // The public half is computed, not read: the sealed one may claim anything.
  const key = keyFromSeed('X25519', Buffer.from(d, 'base64url'));
  if (!sameKey(key, expected)) throw new Error('The sealed content key is not the one of the enrollment.');
  return key;
}
