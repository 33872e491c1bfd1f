import { encode } from 'jose/base64url';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { publicKeys } from './keys.js';
import { call, ServiceError } from './service.js';

/** @import { DeviceKeys } from './keys.js' */

/**
 * Fetches a challenge and signs it (device-api.md, Identity).
 * @param {DeviceKeys} keys
 * @param {'signing' | 'both'} which `both` vouches for the encryption key too, as sign-up and pairing need it
 * @returns {Promise<{ challenge: string, signature: string }>}
 * @throws {Error} when the text to sign is not about this host, this challenge and these keys
 */
export async function prove(keys, which) {
  const { publicKey, encryptionKey } = publicKeys(keys);
  const body = which === 'both' ? { publicKey, encryptionKey } : { publicKey };
  const { challenge, message } = await call('POST', '/v1/auth/challenge', { body });
  const words = message.split(/\s+/);
  if (!words.includes(location.origin)) {
    throw new Error(`The service does not call itself ${location.origin}, so nothing was signed. Use its own address.`);
  }
  const prints = await Promise.all(Object.values(body).map((key) => calculateJwkThumbprint(key)));
  if (![challenge, ...prints].every((word) => words.includes(word))) {
    throw new Error('The service asks to have something else signed than was asked for. Nothing was signed.');
  }
  const { privateKey } = keys.signing;
  const signature = await crypto.subtle.sign('Ed25519', privateKey, new TextEncoder().encode(message));
  return { challenge, signature: encode(new Uint8Array(signature)) };
}

/**
 * A device token for what follows at once; it is kept nowhere.
 * @param {DeviceKeys} keys
 */
export async function signIn(keys) {
  const body = { publicKey: keys.signing.publicJwk, ...(await prove(keys, 'signing')) };
  return call('POST', '/v1/auth/sign-in', { body });
}

/**
 * @param {unknown} error
 * @returns {error is ServiceError} the service said that these keys are no device, or none any more
 */
export function isNoDevice(error) {
  return (
    error instanceof ServiceError && error.status === 401 && (error.reason === 'unknown' || error.reason === 'revoked')
  );
}
