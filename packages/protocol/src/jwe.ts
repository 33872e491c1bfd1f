import { decode } from 'jose/base64url';
import { SEALED_KEY_HEADER_MEMBERS, SEALING_ALGORITHM, SEALING_ENCRYPTION } from './sealed-key';

/**
 * Format checks of the compact JWEs that devices store (docs/protocol/encryption.md#content). The service can't decrypt
 * them.
 */

/** Place to which encrypted content is bound. A flat object, so that two bindings compare member by member. */
export type ContentBinding = Record<string, string | number>;

export const buildMessageBinding = (accountId: string, tag: string, localId: string, role: string): ContentBinding => ({
  a: accountId,
  s: tag,
  l: localId,
  r: role,
});

/** @param localId id that the device gave its permission request */
export const buildPermissionBinding = (accountId: string, tag: string, localId: string): ContentBinding => ({
  a: accountId,
  s: tag,
  p: localId,
});

/** @param contentHash hash of the question's content, which the answers are about */
export const buildAnswersBinding = (accountId: string, tag: string, contentHash: string): ContentBinding => ({
  a: accountId,
  s: tag,
  h: contentHash,
});

/** @param contentHash hash of the content of the request, which the message is about */
export const buildDecisionMessageBinding = (accountId: string, tag: string, contentHash: string): ContentBinding => ({
  a: accountId,
  s: tag,
  h: contentHash,
  r: 'user',
});

/**
 * @param localId id that the device gives the message when it stores it
 * @param n number of the delta in its message
 * @param kind kind of the delta, so that a thought can't be shown as a message
 */
export const buildDeltaBinding = (
  accountId: string,
  tag: string,
  localId: string,
  n: number,
  kind?: string,
): ContentBinding => ({
  a: accountId,
  s: tag,
  d: localId,
  n,
  ...(kind === undefined || kind === 'message' ? {} : { k: kind }),
});

/** @param version version of the session, which increases with each change of its metadata */
export const buildMetadataBinding = (accountId: string, tag: string, version: number): ContentBinding => ({
  a: accountId,
  s: tag,
  m: version,
});

/** @param tag tag of the artifact */
export const buildArtifactBinding = (accountId: string, tag: string, version: number): ContentBinding => ({
  a: accountId,
  t: tag,
  v: version,
});

type JweHeader = Record<string, unknown>;

/** Length of a 256-bit key wrapped by AES Key Wrap (RFC 3394): 40 bytes in base64url. */
const WRAPPED_KEY_LENGTH = 54;

const BASE64URL = /^[A-Za-z0-9_-]*$/;

/** Returns the protected header of a compact JWE (RFC 7516 §7.1), or null if its parts are malformed. */
export function readJweHeader(text: string): JweHeader | null {
  const parts = text.split('.');
  if (parts.length !== 5 || !parts.every((part) => BASE64URL.test(part))) return null;
  const [header, , iv, , tag] = parts as [string, string, string, string, string];
  // A256GCM: 96-bit IV and 128-bit tag (RFC 7518 §5.3).
  if (iv.length !== 16 || tag.length !== 22) return null;
  try {
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(decode(header)));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as JweHeader) : null;
  } catch {
    return null;
  }
}

/** Returns why the text is not valid content for this key and binding, or null if it is. */
export function findContentFormatViolation(text: string, keyId: string, binding: ContentBinding): string | null {
  const header = readJweHeader(text);
  if (!header) return 'is not a compact JWE';
  if (Object.keys(header).sort().join() !== 'alg,cty,enc,kid,svc') {
    return 'must have a header of exactly alg, enc, kid, cty and svc';
  }
  if (header.alg !== 'dir' || header.enc !== 'A256GCM') return 'must use alg "dir" and enc "A256GCM"';
  if (text.split('.')[1] !== '') return 'must have no encrypted key: alg is "dir"';
  if (typeof header.cty !== 'string' || header.cty === '') return 'must name its media type in cty';
  if (header.kid !== keyId) return 'is not encrypted with the data key of its resource (kid)';
  if (!isSameBinding(header.svc, binding)) return 'is bound to another place (svc)';
  return null;
}

/** Returns why the text is not a key sealed with `ECDH-ES+A256KW` and `A256GCM`, or null if it is. */
export function findSealedKeyFormatViolation(text: string): string | null {
  const header = readJweHeader(text);
  if (!header) return 'is not a compact JWE';
  if (header.alg !== SEALING_ALGORITHM || header.enc !== SEALING_ENCRYPTION) {
    return `must use alg "${SEALING_ALGORITHM}" and enc "${SEALING_ENCRYPTION}"`;
  }
  const unexpectedMember = Object.keys(header).find((name) => !SEALED_KEY_HEADER_MEMBERS.includes(name));
  if (unexpectedMember) return `must not have "${unexpectedMember}" in its header`;
  if (typeof header.epk !== 'object' || header.epk === null) return 'must have an ephemeral key (epk)';
  return text.split('.')[1]!.length === WRAPPED_KEY_LENGTH ? null : 'must contain a wrapped 256-bit key';
}

function isSameBinding(value: unknown, expected: ContentBinding): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const actual = value as ContentBinding;
  const names = Object.keys(expected);
  return Object.keys(actual).length === names.length && names.every((name) => actual[name] === expected[name]);
}
