import type { Token } from '../../index.ts';
import { CliError, UsageError } from '../errors.ts';
import type { CredentialFile } from './credential-file.ts';

/** The host and the credential of a call. */
export interface Credential {
  host: string;
  token: Token;
  /** `environment`: of `XAPI_TOKEN`. */
  origin: 'environment' | 'file';
  kind: 'token' | 'oauth';
}

/** Returns the origin of a host that a user names, without the path of the API. @throws UsageError */
export function parseHost(text: string): string {
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  } catch {
    throw new UsageError('The host is not a URL.', 'Use an address such as https://api.example.com.');
  }
  if (!/^https?:$/.test(url.protocol)) throw new UsageError('The host must be an http or https address.');
  if (url.username || url.password) throw new UsageError('The host must not contain a user name or password.');
  return url.origin;
}

/**
 * Finds the host by `--host`, `XAPI_HOST` and the last login, and its credential by `XAPI_TOKEN` and the file. A stored
 * token is sent to the host of its login only.
 */
export function findCredential(file: CredentialFile, hostOption: string | undefined): Credential {
  const { XAPI_HOST, XAPI_TOKEN } = process.env;
  const named = hostOption ?? (XAPI_HOST || undefined);
  const host = named === undefined ? file.currentHost : parseHost(named);
  if (host === null)
    throw new CliError('You are not logged in.', {
      code: 'not_logged_in',
      hint: 'Run: xapi login --host https://your.service. In scripts, set XAPI_HOST and XAPI_TOKEN.',
    });
  if (XAPI_TOKEN) return { host, token: requireToken(XAPI_TOKEN.trim()), origin: 'environment', kind: 'token' };
  const login = file.findLogin(host);
  if (!login)
    throw new CliError(`You are not logged in to ${host}.`, {
      code: 'not_logged_in',
      hint: `Run: xapi login --host ${host}`,
    });
  if (login.kind === 'token') return { host, token: login.token, origin: 'file', kind: 'token' };
  return { host, token: createOAuthToken(file, host), origin: 'file', kind: 'oauth' };
}

/** @throws UsageError without the token, which may be one but for a character */
function requireToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError('XAPI_TOKEN has characters that no token has.', 'Copy the token again, on one line.');
}

/** Tokens of a stored login, renewed when the service refuses one. */
function createOAuthToken(file: CredentialFile, host: string): Token {
  let last: string | undefined;
  return async ({ reason }) => {
    const { obtainAccessToken } = await import('./oauth-tokens.ts');
    last = await obtainAccessToken(file, host, reason === 'expired' ? last : undefined);
    return last;
  };
}
