import { encode } from 'jose/base64url';
import type { EncryptionKey } from './keys';
import { sealJson, unsealJson, type PrivateEncryptionKey } from './sealing';

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
  const key = { kid: encodeRandomBytes(16), k: encodeRandomBytes(32) };
  return { ...key, sealed: await sealJson(toOctJwk(key), contentPublicKey) };
}

const encodeRandomBytes = (length: number): string => encode(crypto.getRandomValues(new Uint8Array(length)));

/**
 * @throws Error when it is not sealed to this content key, or when the sealed key has another `kid`
 */
export async function unsealDataKey(
  { kid, sealed }: SealedDataKey,
  contentKey: PrivateEncryptionKey,
): Promise<DataKey> {
  const jwk = (await unsealJson(sealed, contentKey).catch((error: Error) => {
    throw new Error(`The data key is not sealed to this account's content key: ${error.message}`, {
      cause: error,
    });
  })) as Record<string, unknown> | null;
  const k = jwk?.k;
  if (jwk?.kty !== 'oct' || typeof k !== 'string' || !/^[\w-]{43}$/.test(k))
    throw new Error('The sealed data key is not a 256-bit key.');
  if (jwk.kid !== undefined && jwk.kid !== kid) throw new Error('The sealed data key has another kid.');
  return { kid, k };
}

/** Returns the key as a JWK for sealed payloads (RFC 7518 §6.4). */
export function toOctJwk({ kid, k }: DataKey) {
  return { kty: 'oct', k, kid } as const;
}
