import { registerDecorator, type ValidationOptions } from 'class-validator';

const MAX_REDIRECT_URI_LENGTH = 2_000;
/** Host names and addresses. URLs allow more characters, which have other meanings in a Content-Security-Policy. */
const HOST_PATTERN = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?)$/;

/** Loopback hosts (RFC 8252 §7.3, §8.3). */
export const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * Returns why a redirect URI cannot be registered, or null (docs/protocol/oauth.md#apps; RFC 6749 §3.1.2). It must be
 * normalized as by a browser, so that people are shown the URI that their browser opens.
 */
export function findRedirectUriViolation(uri: string): string | null {
  if (uri.length > MAX_REDIRECT_URI_LENGTH) return `must have at most ${MAX_REDIRECT_URI_LENGTH} characters`;
  if (!URL.canParse(uri)) return 'must be an absolute URI';
  const { protocol, hostname, username, password, href, origin, search } = new URL(uri);
  if (protocol !== 'https:' && !(protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname))) {
    return 'must be https, or http on 127.0.0.1, [::1] or localhost';
  }
  if (uri.includes('#')) return 'must not have a fragment';
  if (username || password || /^\w+:\/*[^/?]*@/.test(uri)) return 'must not have user information';
  if (uri.includes('*')) return 'must not have a wildcard';
  if (!HOST_PATTERN.test(hostname)) return 'must have a host of letters, digits, hyphens and dots';
  // Also accepts URIs without a path, as people write them.
  const isNormalized = uri === href || uri === origin + search;
  return isNormalized ? null : 'must be in its normal form, as a browser writes it';
}

/** Validates a redirect URI, or with `each` an array of them, by `findRedirectUriViolation`. */
export function IsRedirectUri(options?: ValidationOptions): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isRedirectUri',
      target: target.constructor,
      propertyName: propertyName as string,
      options,
      validator: {
        validate: (value: unknown) => typeof value === 'string' && findRedirectUriViolation(value) === null,
        defaultMessage: (given) =>
          `${options?.each ? 'each value in ' : ''}$property ${describeRedirectUriViolation(given?.value)}`,
      },
    });
}

/** Says by its number which one of several is wrong. */
function describeRedirectUriViolation(value: unknown): string {
  const values = Array.isArray(value) ? value : [value];
  const violations = values.map((uri) =>
    typeof uri === 'string' ? findRedirectUriViolation(uri) : 'must be a string',
  );
  const index = violations.findIndex((violation) => violation !== null);
  if (index < 0) return 'must be a redirect URI';
  return values.length === 1 ? violations[index]! : `${violations[index]} (value ${index + 1})`;
}
