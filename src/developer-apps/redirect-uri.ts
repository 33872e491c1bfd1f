import { registerDecorator, type ValidationOptions } from 'class-validator';

const MAX_LENGTH = 2_000;
/** What names and addresses are made of. URLs take more, which would mean something else in a Content-Security-Policy. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?)$/;

/** Hosts that never leave the browser's own machine (RFC 8252 §7.3, §8.3). */
export const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * What keeps a text from being registered as a redirect URI; null: nothing (oauth.md, Apps; RFC 6749 §3.1.2).
 * It has to be as a browser would write it, so that what people are shown is where their browser goes.
 */
export function redirectUriFault(uri: string): string | null {
  if (uri.length > MAX_LENGTH) return `must hold at most ${MAX_LENGTH} characters`;
  if (!URL.canParse(uri)) return 'must be an absolute URI';
  const { protocol, hostname, username, password, href, origin, search } = new URL(uri);
  if (protocol !== 'https:' && !(protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname))) {
    return 'must be https, or http on 127.0.0.1, [::1] or localhost';
  }
  if (uri.includes('#')) return 'must have no fragment';
  if (username || password || /^\w+:\/*[^/?]*@/.test(uri)) return 'must have no user information';
  if (uri.includes('*')) return 'must have no wildcard';
  if (!HOST.test(hostname)) return 'must have a host of letters, digits, hyphens and dots';
  // Without a path, too, as people write them.
  const isNormal = uri === href || uri === origin + search;
  return isNormal ? null : 'must be in its normal form, as a browser writes it';
}

/** A text, or with `each` texts, of which `redirectUriFault` finds nothing to say. */
export function IsRedirectUri(options?: ValidationOptions): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isRedirectUri',
      target: target.constructor,
      propertyName: propertyName as string,
      options,
      validator: {
        validate: (value: unknown) => typeof value === 'string' && redirectUriFault(value) === null,
        defaultMessage: (given) => `${options?.each ? 'each value in ' : ''}$property ${faultOf(given?.value)}`,
      },
    });
}

function faultOf(value: unknown): string {
  const values = Array.isArray(value) ? value : [value];
  const faults = values.map((uri) => (typeof uri === 'string' ? redirectUriFault(uri) : 'must be a string'));
  return faults.find((fault) => fault !== null) ?? 'must be a redirect URI';
}
