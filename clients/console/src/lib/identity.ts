import { encode } from 'jose/base64url';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import type {
  ChallengeResponse,
  DeviceRecords,
  EncryptionKey,
  OkpJwk,
  SigningKey,
} from '@external-api/protocol/portable';
import { callService, ServiceError } from './api-client';
import { getPublicJwks, type BrowserKeys } from './keys';

/** Account of a device, as a sign-in returns it. */
export type SignedInAccount = Pick<DeviceRecords.Account, 'id' | 'username' | 'contentKeyVersion'>;

/** Response to a sign-in. */
export type DeviceSignIn = Pick<DeviceRecords.SignedInDevice, 'token' | 'account' | 'enrollment'>;

/**
 * Fetches a challenge and signs it (docs/protocol/device-api.md#challenges).
 * @param provenKeys `both` also covers the encryption key, as sign-up and pairing require
 * @throws Error if the text to sign does not name this host, this challenge and these keys
 */
export async function proveKeys(
  keys: BrowserKeys,
  provenKeys: 'signing' | 'both',
): Promise<{ challenge: string; signature: string }> {
  const { publicKey, encryptionKey } = getPublicJwks(keys);
  const body: { publicKey: SigningKey; encryptionKey?: EncryptionKey } =
    provenKeys === 'both' ? { publicKey, encryptionKey } : { publicKey };
  const { challenge, message } = await callService<ChallengeResponse>('POST', '/v1/auth/challenge', { body });
  const words = message.split(/\s+/);
  if (!words.includes(location.origin)) {
    throw new Error(
      `The service’s address is not ${location.origin}, so nothing was signed. Open the service at its own address.`,
    );
  }
  const thumbprints = await Promise.all((Object.values(body) as OkpJwk[]).map((key) => calculateJwkThumbprint(key)));
  if (![challenge, ...thumbprints].every((word) => words.includes(word))) {
    throw new Error('The service asked for a signature of something else. Nothing was signed.');
  }
  const { privateKey } = keys.signing;
  const signature = await crypto.subtle.sign('Ed25519', privateKey, new TextEncoder().encode(message));
  return { challenge, signature: encode(new Uint8Array(signature)) };
}

/** Returns a device token for immediate use. It is not stored. */
export async function signInDevice(keys: BrowserKeys): Promise<DeviceSignIn> {
  const body = { publicKey: keys.signing.publicJwk, ...(await proveKeys(keys, 'signing')) };
  return callService('POST', '/v1/auth/sign-in', { body });
}

/** Returns whether the service reported that these keys belong to no device or to a revoked one. */
export function isUnknownDevice(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError && error.status === 401 && (error.reason === 'unknown' || error.reason === 'revoked')
  );
}
