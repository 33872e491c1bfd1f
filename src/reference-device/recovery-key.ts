import { hkdfSync, randomBytes } from 'node:crypto';
import { fromCrockford, inGroupsOfFour, toCrockford } from '../wire';
import { keyFromSeed, type DeviceKeys } from './keys';

const KEY_BYTES = 32;

/** One more account device on paper: 32 random bytes as 13 groups of four (device-api.md, Recovery). */
export function generateRecoveryKey(): string {
  return formatRecoveryKey(randomBytes(KEY_BYTES));
}

export function formatRecoveryKey(bytes: Uint8Array): string {
  return inGroupsOfFour(toCrockford(bytes));
}

/**
 * The recovery device's key pairs, from HKDF-SHA-256 with an empty salt and the infos `sign` and `encrypt`.
 * @param text as printed or as typed: case, hyphens and spaces do not matter
 * @throws Error on a key of another length or with other characters
 */
export function recoveryKeys(text: string): DeviceKeys {
  const bytes = fromCrockford(text);
  if (bytes.length !== KEY_BYTES) throw new Error('A recovery key has 52 letters and digits in groups of four.');
  const seed = (info: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', bytes, new Uint8Array(), info, KEY_BYTES));
  return {
    signing: keyFromSeed('Ed25519', seed('sign')),
    encryption: keyFromSeed('X25519', seed('encrypt')),
  };
}
