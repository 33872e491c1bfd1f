import { LOOPBACK_HOSTS } from '../../developer-apps';

const LOOPBACK = new RegExp(
  `^http://(${LOOPBACK_HOSTS.map((host) => host.replace(/[.[\]]/g, '\\$&')).join('|')})(?::([1-9]\\d{0,4}))?($|[/?].*$)`,
);

/**
 * Whether the URI is a registered one: byte for byte (RFC 9700 §2.1), except that the port of an http loopback URI is
 * the client's to choose at each request (RFC 8252 §7.3).
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true;
  const anyPort = withoutLoopbackPort(uri);
  return anyPort !== null && registered.some((candidate) => withoutLoopbackPort(candidate) === anyPort);
}

/** null: not an http loopback URI */
function withoutLoopbackPort(uri: string): string | null {
  const [, host, port = '80', rest] = LOOPBACK.exec(uri) ?? [];
  return host !== undefined && Number(port) <= 65_535 ? `http://${host}${rest}` : null;
}
