import { signEnrollment } from './enrollment.js';
import { prove } from './identity.js';
import { publicKeys } from './keys.js';
import { call } from './service.js';

/** @import { DeviceKeys, Key, PrivateJwk } from './keys.js' */

/**
 * Asks to join an account as one of its account devices.
 * @param {DeviceKeys} keys
 * @param {{ name: string, platform: string }} about
 * @returns {Promise<{ id: string, code: string, expiresAt: number }>}
 */
export async function requestPairing(keys, about) {
  const body = { ...publicKeys(keys), kind: 'account', ...about, ...(await prove(keys, 'both')) };
  return call('POST', '/v1/pairings', { body });
}

/**
 * @param {string} id
 * @returns {Promise<{ state: 'pending' | 'approved' | 'denied' | 'expired', accountUsername: string | null }>}
 */
export const pairingStatus = (id) => call('GET', `/v1/pairings/${encodeURIComponent(id)}`);

/**
 * A device that is signed in.
 * @typedef {{ token: string, account: { id: string, username: string, contentKeyVersion: number }, contentKey: PrivateJwk, signing: Key }} Approver
 */

/**
 * Makes keys that were made right here a device of the account: nothing has to be compared.
 * @param {Approver} approver
 * @param {DeviceKeys} keys
 * @param {{ name: string, platform: string }} about
 */
export async function adopt({ token, account, contentKey, signing }, keys, about) {
  const { code } = await requestPairing(keys, about);
  const enrollment = await signEnrollment(account, contentKey, signing, {
    kind: 'account',
    ...publicKeys(keys),
  });
  await call('POST', `/v1/pairings/code/${encodeURIComponent(code)}/approve`, {
    token,
    body: { enrollment },
  });
}
