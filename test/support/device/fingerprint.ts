import { createHash } from 'node:crypto';
import { jwkThumbprint, type Jwk } from './keys';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** What both screens show (device-api.md, Enrollment): 80 bits as four groups of four Crockford characters. */
export function fingerprintOf(publicKey: Jwk, encryptionKey: Jwk): string {
  const digest = createHash('sha256')
    .update(`${jwkThumbprint(publicKey)}.${jwkThumbprint(encryptionKey)}`)
    .digest();
  let bits = BigInt(`0x${digest.subarray(0, 10).toString('hex')}`);
  let text = '';
  for (let i = 0; i < 16; i++) {
    text = CROCKFORD[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return text.match(/.{4}/g)!.join('-');
}
