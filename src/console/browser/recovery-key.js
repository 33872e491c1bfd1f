import { fromCrockford, inGroupsOfFour, toCrockford } from './crockford.js';
import { jwkFromSeed, toKey } from './keys.js';

/** @import { Curve, DeviceKeys } from './keys.js' */

const KEY_BYTES = 32;

/** One more account device on paper: 32 random bytes as 13 groups of four (device-api.md, Recovery). */
export function generateRecoveryKey() {
  return inGroupsOfFour(toCrockford(crypto.getRandomValues(new Uint8Array(KEY_BYTES))));
}

/**
 * The recovery device's key pairs, from HKDF-SHA-256 with an empty salt and the infos `sign` and `encrypt`.
 * @param {string} text as printed or as typed
 * @returns {Promise<DeviceKeys>}
 * @throws {Error} on a key of another length or with other characters
 */
export async function recoveryKeys(text) {
  const bytes = fromCrockford(text);
  if (bytes.length !== KEY_BYTES) throw new Error('A recovery key has 52 letters and digits, in groups of four.');
  const secret = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits']);
  /** @type {(curve: Curve, info: string) => Promise<import('./keys.js').Key>} */
  const derive = async (curve, info) => {
    const algorithm = {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: new Uint8Array(),
      info: new TextEncoder().encode(info),
    };
    const seed = await crypto.subtle.deriveBits(algorithm, secret, KEY_BYTES * 8);
    return toKey(await jwkFromSeed(curve, new Uint8Array(seed)));
  };
  return { signing: await derive('Ed25519', 'sign'), encryption: await derive('X25519', 'encrypt') };
}
