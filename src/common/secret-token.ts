import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TOKEN_BODY_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

const TOKEN_PREFIXES = ['svc_pat_', 'svc_oat_', 'svc_ort_', 'svc_oapp_', 'svc_ocs_', 'svc_dev_'] as const;

export type TokenPrefix = (typeof TOKEN_PREFIXES)[number];

/**
 * Returns a new secret: prefix, 30 random base62 characters and their CRC-32 in 6 base62 characters
 * (docs/protocol/external-api.md#credentials).
 */
export function generateSecretToken(prefix: TokenPrefix): string {
  let body = '';
  for (let i = 0; i < TOKEN_BODY_LENGTH; i++) body += ALPHABET[randomInt(ALPHABET.length)];
  return prefix + body + computeChecksum(body);
}

/** Returns whether format and checksum are valid, so that mistyped tokens cause no database query. */
export function isWellFormedToken(prefix: TokenPrefix, token: string): boolean {
  if (!token.startsWith(prefix)) return false;
  const suffix = token.slice(prefix.length);
  if (!/^[0-9A-Za-z]{36}$/.test(suffix)) return false;
  const body = suffix.slice(0, TOKEN_BODY_LENGTH);
  return suffix.slice(TOKEN_BODY_LENGTH) === computeChecksum(body);
}

/** Returns the prefix, which names the kind of secret, or null if the token is not well-formed. */
export function getTokenPrefix(token: string): TokenPrefix | null {
  return TOKEN_PREFIXES.find((prefix) => isWellFormedToken(prefix, token)) ?? null;
}

/** Returns the SHA-256 hash (32 bytes) that the database stores in place of the secret. */
export function hashSecretToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function computeChecksum(body: string): string {
  let value = crc32(body);
  let digits = '';
  while (value > 0) {
    digits = ALPHABET[value % ALPHABET.length] + digits;
    value = Math.floor(value / ALPHABET.length);
  }
  return digits.padStart(CHECKSUM_LENGTH, '0');
}
