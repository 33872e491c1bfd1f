import { encodeBytes } from '../http/parameters';

/** Where an authorization request answers to. */
export interface RedirectTarget {
  redirectUri: string;
  /** As it came, null where there was none. */
  state: Buffer | null;
}

/**
 * The redirect URI with its own query kept (RFC 6749 §3.1.2), the answer's parameters, `state` byte for byte and
 * `iss` (RFC 9207 §2).
 */
export function redirectLocation(
  { redirectUri, state }: RedirectTarget,
  issuer: string,
  answer: Record<string, string>,
): string {
  const pairs = Object.entries({ ...answer, iss: issuer }).map(
    ([name, value]) => `${name}=${encodeBytes(Buffer.from(value))}`,
  );
  if (state) pairs.push(`state=${encodeBytes(state)}`);
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&';
  return redirectUri + separator + pairs.join('&');
}
