import { percentEncodeBytes } from '../http/form-parameters';

/** Target of an authorization response. */
export interface RedirectTarget {
  redirectUri: string;
  /** State as received. Null without one. */
  state: Buffer | null;
}

/**
 * Builds the redirect URI with its own query (RFC 6749 §3.1.2), the response parameters, `state` byte for byte, and
 * `iss` (RFC 9207 §2).
 */
export function buildRedirectLocation(
  { redirectUri, state }: RedirectTarget,
  issuer: string,
  responseParameters: Record<string, string>,
): string {
  const pairs = Object.entries({ ...responseParameters, iss: issuer }).map(
    ([name, value]) => `${name}=${percentEncodeBytes(Buffer.from(value))}`,
  );
  if (state) pairs.push(`state=${percentEncodeBytes(state)}`);
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&';
  return redirectUri + separator + pairs.join('&');
}
