import { randomInt } from 'node:crypto';

// Without I, L, O, 0 and 1, which people mistake for each other.
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** `ABCD-2345`: about 40 bits, typed by a person within ten minutes. */
export function newPairingCode(): string {
  const characters = Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${characters.slice(0, 4).join('')}-${characters.slice(4).join('')}`;
}

/** What a person typed in the form that is stored: upper case, hyphen in the middle. */
export function normalizePairingCode(typed: string): string {
  const bare = typed.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return `${bare.slice(0, 4)}-${bare.slice(4)}`;
}
