import { LOOPBACK_HOSTS } from '../../developer-apps';

const LOOPBACK_HOST_PATTERN = LOOPBACK_HOSTS.map((host) => host.replace(/[.[\]]/g, '\\$&')).join('|');
const LOOPBACK_URI_PATTERN = new RegExp(`^http://(${LOOPBACK_HOST_PATTERN})(?::([1-9]\\d{0,4}))?($|[/?].*$)`);

/**
 * Returns whether the URI matches a registered one byte for byte (RFC 9700 §2.1). The port of an http loopback URI may
 * differ on each request (RFC 8252 §7.3).
 */
export function isRegisteredRedirectUri(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true;
  const portlessUri = removeLoopbackPort(uri);
  return portlessUri !== null && registered.some((candidate) => removeLoopbackPort(candidate) === portlessUri);
}

/** Returns null when it is not an http loopback URI. */
function removeLoopbackPort(uri: string): string | null {
  const [, host, port = '80', rest] = LOOPBACK_URI_PATTERN.exec(uri) ?? [];
  return host !== undefined && Number(port) <= 65_535 ? `http://${host}${rest}` : null;
}
