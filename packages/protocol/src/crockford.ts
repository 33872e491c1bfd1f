const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Encodes as Crockford base32 without padding. The unused low bits of the last character are zero. */
export function encodeCrockford(bytes: Uint8Array): string {
  let encoded = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      encoded += ALPHABET[(buffer >> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  if (bits > 0) encoded += ALPHABET[(buffer << (5 - bits)) & 31];
  return encoded;
}

/** Thrown for text with a character that is not in the alphabet. */
export class CrockfordError extends Error {
  constructor(readonly character: string) {
    super(`"${character}" is not a Crockford base32 character.`);
  }
}

/** Normalizes user input: ignores case, hyphens and spaces; reads I and L as 1, and O as 0. */
export function normalizeCrockford(text: string): string {
  return text.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0');
}

/**
 * Decodes user input.
 * @throws CrockfordError
 */
export function decodeCrockford(text: string): Uint8Array<ArrayBuffer> {
  const decoded: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const char of normalizeCrockford(text)) {
    const value = ALPHABET.indexOf(char);
    if (value < 0) throw new CrockfordError(char);
    buffer = (buffer << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      decoded.push((buffer >> bits) & 255);
      buffer &= (1 << bits) - 1;
    }
  }
  return Uint8Array.from(decoded);
}

/** Inserts hyphens: `ABCDEFGH` → `ABCD-EFGH`. */
export function groupByFour(text: string): string {
  return text.match(/.{1,4}/g)?.join('-') ?? '';
}
