import { randomFillSync } from 'node:crypto';
import type { IdPrefix } from '../app.manifest';

export type { IdPrefix };

/** Crockford base32, in the order of the values. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 26 characters have 130 bits, so the first one of 128 has at most 3. */
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const UUID_BYTES = 16;
const TIME_CHARACTERS = 10;

/** Random bytes of the next ids, because each read from the generator has a cost of its own. */
const randomPool = new Uint8Array(256 * UUID_BYTES);
let poolOffset = randomPool.length;

/** Returns a new id: prefix, `_` and 26 Crockford base32 characters of a UUIDv7. Ids sort by creation time. */
export function generateId(prefix: IdPrefix): string {
  return `${prefix}_${encodeUuid(createUuidV7(Date.now()))}`;
}

/** Returns the time at which the id was generated, in Unix milliseconds. */
export function getIdTime(id: string): number {
  const suffix = id.slice(id.lastIndexOf('_') + 1);
  let time = 0;
  for (const character of suffix.slice(0, TIME_CHARACTERS)) time = time * 32 + ALPHABET.indexOf(character);
  return time;
}

/** Returns the lowest id of this time (Unix milliseconds). It sorts before all ids that are generated then or later. */
export function getLowestId(prefix: IdPrefix, time: number): string {
  const bytes = new Uint8Array(UUID_BYTES);
  writeTime(bytes, Math.max(0, Math.floor(time)));
  return `${prefix}_${encodeUuid(bytes)}`;
}

/** Returns whether `value` is a well-formed id with this prefix. Does not check that it exists. */
export function isWellFormedId(prefix: IdPrefix, value: string): boolean {
  return value.length === prefix.length + 27 && value.startsWith(`${prefix}_`) && SUFFIX.test(value.slice(-26));
}

/** @param time Unix milliseconds (RFC 9562 §5.7) */
function createUuidV7(time: number): Uint8Array {
  if (poolOffset === randomPool.length) {
    randomFillSync(randomPool);
    poolOffset = 0;
  }
  const bytes = randomPool.subarray(poolOffset, (poolOffset += UUID_BYTES));
  writeTime(bytes, time);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes;
}

function writeTime(bytes: Uint8Array, time: number): void {
  for (let index = 5; index >= 0; index--) {
    bytes[index] = time % 256;
    time = Math.floor(time / 256);
  }
}

/** Encodes the 128 bits with two zero bits before them, so that the text sorts like the bytes. */
function encodeUuid(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 2;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    for (bits += 8; bits >= 5;) {
      bits -= 5;
      text += ALPHABET[(buffer >> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  return text;
}
