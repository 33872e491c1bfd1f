import {
  CrockfordError,
  decodeCrockford,
  formatRecoveryKey,
  RECOVERY_KEY_BYTES,
  RECOVERY_KEY_INFOS,
  type Curve,
} from '@external-api/protocol/portable';
import { createJwkFromSeed, importKeyPair, type BrowserKeyPair, type BrowserKeys } from './keys';

/** Generates the text that goes on paper. */
export function generateRecoveryKeyText(): string {
  return formatRecoveryKey(crypto.getRandomValues(new Uint8Array(RECOVERY_KEY_BYTES)));
}

/**
 * Derives the recovery device's key pairs (docs/protocol/device-api.md#recovery).
 * @param text as printed or as typed
 * @throws Error if the key's length or characters are not valid
 */
export async function importRecoveryKeys(text: string): Promise<BrowserKeys> {
  const bytes = decodeRecoveryKey(text);
  const secret = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits']);
  const deriveKeyPair = async <C extends Curve>(curve: C, info: string): Promise<BrowserKeyPair<C>> => {
    const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: new TextEncoder().encode(info) };
    const seed = await crypto.subtle.deriveBits(algorithm, secret, RECOVERY_KEY_BYTES * 8);
    return importKeyPair(await createJwkFromSeed(curve, new Uint8Array(seed)));
  };
  return {
    signing: await deriveKeyPair('Ed25519', RECOVERY_KEY_INFOS.signing),
    encryption: await deriveKeyPair('X25519', RECOVERY_KEY_INFOS.encryption),
  };
}

function decodeRecoveryKey(text: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeTypedText(text);
  if (bytes.length === RECOVERY_KEY_BYTES) return bytes;
  throw new Error('A recovery key has 52 letters and digits in groups of four.');
}

function decodeTypedText(text: string): Uint8Array<ArrayBuffer> {
  try {
    return decodeCrockford(text);
  } catch (error) {
    if (!(error instanceof CrockfordError)) throw error;
    throw new Error(`The key can’t contain “${error.character}”.`, { cause: error });
  }
}
