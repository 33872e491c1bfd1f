import { createHash } from 'node:crypto';

/** Returns base64url of SHA-256 over the ASCII bytes of a compact JWE, by which a decision names what it is about. */
export function computeContentHash(jwe: string): string {
  return createHash('sha256').update(jwe, 'ascii').digest('base64url');
}
