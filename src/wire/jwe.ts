/** Forms of the compact JWEs that devices store (encryption.md). They are checked here, and never opened. */

/** Where a content text belongs: flat, so that two places compare member by member. */
export type ContentPlace = Record<string, string | number>;

export const messagePlace = (accountId: string, tag: string, localId: string, role: string): ContentPlace => ({
  a: accountId,
  s: tag,
  l: localId,
  r: role,
});

/** @param version the session's, which counts its metadata */
export const metadataPlace = (accountId: string, tag: string, version: number): ContentPlace => ({
  a: accountId,
  s: tag,
  m: version,
});

/** @param tag the artifact's */
export const artifactPlace = (accountId: string, tag: string, version: number): ContentPlace => ({
  a: accountId,
  t: tag,
  v: version,
});

type Header = Record<string, unknown>;

/** A 256-bit key under AES Key Wrap (RFC 3394): 40 bytes in base64url. */
const WRAPPED_KEY_LENGTH = 54;

const BASE64URL = /^[A-Za-z0-9_-]*$/;

/** The protected header of a compact JWE (RFC 7516 §7.1) with plausible parts, or null. */
export function jweHeader(text: string): Header | null {
  const parts = text.split('.');
  if (parts.length !== 5 || !parts.every((part) => BASE64URL.test(part))) return null;
  const [header, , iv, , tag] = parts as [string, string, string, string, string];
  // A256GCM: 96-bit IV and 128-bit tag (RFC 7518 §5.3).
  if (iv.length !== 16 || tag.length !== 22) return null;
  try {
    const parsed: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'base64url')),
    );
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Header) : null;
  } catch {
    return null;
  }
}

/** Why this is no content of that place under that key, or null. */
export function contentFault(text: string, keyId: string, place: ContentPlace): string | null {
  const header = jweHeader(text);
  if (!header) return 'is not a compact JWE';
  if (Object.keys(header).sort().join() !== 'alg,cty,enc,kid,svc') {
    return 'must have a header of exactly alg, enc, kid, cty and svc';
  }
  if (header.alg !== 'dir' || header.enc !== 'A256GCM') return 'must use alg "dir" and enc "A256GCM"';
  if (text.split('.')[1] !== '') return 'must have no encrypted key: alg is "dir"';
  if (typeof header.cty !== 'string' || header.cty === '') return 'must name its media type in cty';
  if (header.kid !== keyId) return 'is not under the record’s data key (kid)';
  if (!isSamePlace(header.svc, place)) return 'is bound to another place (svc)';
  return null;
}

/** Why this is no key sealed with `ECDH-ES+A256KW` and `A256GCM`, or null. */
export function sealedKeyFault(text: string): string | null {
  const header = jweHeader(text);
  if (!header) return 'is not a compact JWE';
  if (header.alg !== 'ECDH-ES+A256KW' || header.enc !== 'A256GCM') {
    return 'must use alg "ECDH-ES+A256KW" and enc "A256GCM"';
  }
  const allowed = ['alg', 'enc', 'epk', 'kid', 'cty', 'apu', 'apv'];
  const foreign = Object.keys(header).find((name) => !allowed.includes(name));
  if (foreign) return `must not have "${foreign}" in its header`;
  if (typeof header.epk !== 'object' || header.epk === null) return 'must have an ephemeral key (epk)';
  return text.split('.')[1]!.length === WRAPPED_KEY_LENGTH ? null : 'must hold a wrapped 256-bit key';
}

function isSamePlace(given: unknown, place: ContentPlace): boolean {
  if (typeof given !== 'object' || given === null) return false;
  const other = given as ContentPlace;
  const names = Object.keys(place);
  return Object.keys(other).length === names.length && names.every((name) => other[name] === place[name]);
}
