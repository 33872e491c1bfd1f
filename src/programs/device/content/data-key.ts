import { randomBytes } from 'node:crypto';
import type { EncryptionKey } from '../../../protocol';
import type { PrivateKeyJwk } from '../keys';
import { isKeyText, type JsonObject } from '../untrusted-values';
import { sealJson, unsealJson } from './sealing';

/** Content key of one session or artifact (docs/protocol/encryption.md#data-key). */
export interface DataKey {
  kid: string;
  /** base64url of 32 bytes */
  k: string;
}

/** Data key as the service stores it: compact JWE of the `oct` JWK, sealed to the account's content key. */
export interface SealedDataKey {
  kid: string;
  sealed: string;
}

export async function generateDataKey(contentPublicKey: EncryptionKey): Promise<DataKey & SealedDataKey> {
  const kid = randomBytes(16).toString('base64url');
  const key = { kid, k: randomBytes(32).toString('base64url') };
  return { ...key, sealed: await sealJson(toOctJwk(key), contentPublicKey) };
}

/**
 * @throws Error when it is not sealed to this content key, or when the sealed key has another `kid`
 */
export async function unsealDataKey(
  { kid, sealed }: SealedDataKey,
  contentKey: PrivateKeyJwk<'X25519'>,
): Promise<DataKey> {
  const jwk = (await unsealJson(sealed, contentKey).catch((error: Error) => {
    throw new Error(`The data key is not sealed to this account's content key: ${error.message}`, {
      cause: error,
    });
  })) as JsonObject | null;
  const k = jwk?.k;
  if (jwk?.kty !== 'oct' || !isKeyText(k)) throw new Error('The sealed data key is not a 256-bit key.');
  if (jwk.kid !== undefined && jwk.kid !== kid) throw new Error('The sealed data key has another kid.');
  return { kid, k };
}

/** Returns the key as a JWK for sealed payloads (RFC 7518 §6.4). */
export function toOctJwk({ kid, k }: DataKey) {
  return { kty: 'oct', k, kid } as const;
}
