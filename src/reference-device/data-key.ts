import { randomBytes } from 'node:crypto';
import type { EncryptionKey } from '../wire';
import { sealJwk } from './sealing';

/** The key of one session's content (encryption.md, Data key). */
export interface DataKey {
  kid: string;
  /** base64url of 32 random bytes */
  k: string;
  /** Compact JWE of the `oct` JWK, sealed to the account's content key. */
  sealed: string;
}

export async function generateDataKey(contentPublicKey: EncryptionKey): Promise<DataKey> {
  const kid = randomBytes(16).toString('base64url');
  const k = randomBytes(32).toString('base64url');
  return { kid, k, sealed: await sealJwk({ kty: 'oct', k, kid }, contentPublicKey) };
}
