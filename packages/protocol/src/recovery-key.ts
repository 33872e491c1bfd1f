import { encodeCrockford, groupByFour } from './crockford';

/** Length of a recovery key before it is encoded (docs/protocol/device-api.md#recovery). */
export const RECOVERY_KEY_BYTES = 32;

/** `info` values of HKDF-SHA-256 with an empty salt, which derives the two private keys of the recovery device. */
export const RECOVERY_KEY_INFOS = { signing: 'sign', encryption: 'encrypt' } as const;

/** Formats the bytes as 13 groups of four. */
export function formatRecoveryKey(bytes: Uint8Array): string {
  return groupByFour(encodeCrockford(bytes));
}
