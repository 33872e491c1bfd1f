const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Crockford base32 without padding, as every device writes it.
 * @param {Uint8Array} bytes
 */
export function toCrockford(bytes) {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = bits.match(/.{1,5}/g) ?? [];
  return digits.map((digit) => ALPHABET[parseInt(digit.padEnd(5, '0'), 2)]).join('');
}

/**
 * What a person typed, as it would be printed: case, hyphens and spaces do not matter; I and L are 1, O is 0.
 * @param {string} text
 */
export function normalized(text) {
  return text.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0');
}

/**
 * Reads what a person typed.
 * @param {string} text
 * @throws {Error} on any other character
 */
export function fromCrockford(text) {
  const clean = normalized(text);
  const stray = [...clean].find((character) => !ALPHABET.includes(character));
  if (stray) throw new Error(`“${stray}” is in no key of this kind.`);
  const bits = Array.from(clean, (character) => ALPHABET.indexOf(character).toString(2).padStart(5, '0')).join('');
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2));
}

/**
 * `ABCDEFGH` → `ABCD-EFGH`.
 * @param {string} text
 */
export function inGroupsOfFour(text) {
  return text.match(/.{1,4}/g)?.join('-') ?? '';
}
