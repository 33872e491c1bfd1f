import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

const PREFIXES = ['svc_pat_', 'svc_oat_', 'svc_ort_', 'svc_oapp_', 'svc_ocs_', 'svc_dev_'] as const;

export type TokenPrefix = (typeof PREFIXES)[number];

/** A new secret: prefix, 30 random base62 characters, 6 of their CRC-32 (external-api.md §2). */
export function mintToken(prefix: TokenPrefix): string {
  let body = '';
  for (let i = 0; i < BODY_LENGTH; i++) body += ALPHABET[randomInt(ALPHABET.length)];
  return prefix + body + checksum(body);
}

/** Whether form and checksum are right, so that a typing error never reaches the database. */
export function isWellFormedToken(prefix: TokenPrefix, token: string): boolean {
  if (!token.startsWith(prefix)) return false;
  const rest = token.slice(prefix.length);
  if (!/^[0-9A-Za-z]{36}$/.test(rest)) return false;
  const body = rest.slice(0, BODY_LENGTH);
  return rest.slice(BODY_LENGTH) === checksum(body);
}

/** Which kind of secret this is, null for one that is not well-formed. */
export function kindOfToken(token: string): TokenPrefix | null {
  return PREFIXES.find((prefix) => isWellFormedToken(prefix, token)) ?? null;
}

/** What the database holds of a secret: SHA-256, 32 bytes. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function checksum(body: string): string {
  let value = crc32(body);
  let digits = '';
  while (value > 0) {
    digits = ALPHABET[value % ALPHABET.length] + digits;
    value = Math.floor(value / ALPHABET.length);
  }
  return digits.padStart(CHECKSUM_LENGTH, '0');
}
