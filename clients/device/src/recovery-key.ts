import { hkdfSync, randomBytes } from 'node:crypto';
import { decodeCrockford, formatRecoveryKey, RECOVERY_KEY_BYTES, RECOVERY_KEY_INFOS } from '@external-api/protocol';
import { createKeyFromSeed, type DeviceKeys } from './keys';

/** Generates the key of a paper device: 32 random bytes as 13 groups of four (docs/protocol/device-api.md#recovery). */
export function generateRecoveryKey(): string {
  return formatRecoveryKey(randomBytes(RECOVERY_KEY_BYTES));
}

/**
 * Derives the recovery device's key pairs with HKDF-SHA-256, an empty salt and the infos `sign` and `encrypt`.
 * @param text as printed or typed: case, hyphens and spaces are ignored
 * @throws Error on a wrong length or unexpected characters
 */
export function deriveRecoveryKeys(text: string): DeviceKeys {
  const bytes = decodeCrockford(text);
  if (bytes.length !== RECOVERY_KEY_BYTES)
    throw new Error('The recovery key is invalid. It consists of 52 letters and digits in groups of four.');
  const deriveSeed = (info: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', bytes, new Uint8Array(), info, RECOVERY_KEY_BYTES));
  return {
    signing: createKeyFromSeed('Ed25519', deriveSeed(RECOVERY_KEY_INFOS.signing)),
    encryption: createKeyFromSeed('X25519', deriveSeed(RECOVERY_KEY_INFOS.encryption)),
  };
}
