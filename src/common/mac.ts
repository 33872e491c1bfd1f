import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Returns the HMAC-SHA-256 of the text, in base64url. */
export function computeMac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Returns whether `computeMac` returns this MAC for one of the keys. Compares in constant time. */
export function verifyMac(keys: readonly KeyObject[], text: string, mac: string): boolean {
  const given = Buffer.from(mac);
  return keys.some((key) => {
    const expected = Buffer.from(computeMac(key, text));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
}
