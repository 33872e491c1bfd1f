import { createHash } from 'node:crypto';
import { computeForeignThumbprint, type ForeignJwk } from './keys';

const CROCKFORD_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Returns the fingerprint that both screens show (docs/protocol/device-api.md#fingerprint): 80 bits as four groups of
 * four Crockford characters.
 */
export function computeForeignFingerprint(publicKey: ForeignJwk, encryptionKey: ForeignJwk): string {
  const digest = createHash('sha256')
    .update(`${computeForeignThumbprint(publicKey)}.${computeForeignThumbprint(encryptionKey)}`)
    .digest();
  let bits = BigInt(`0x${digest.subarray(0, 10).toString('hex')}`);
  let text = '';
  for (let i = 0; i < 16; i++) {
    text = CROCKFORD_ALPHABET[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return text.match(/.{4}/g)!.join('-');
}
