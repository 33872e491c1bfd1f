import { isServiceSuccess, toApiError } from '../../http/response.ts';
import { ApiError, oauthToken } from '../../index.ts';
import { readTokenAnswer } from '../../oauth-token.ts';
import { CliError, EXIT } from '../errors.ts';
import { interrupts } from '../interrupts.ts';
import { hideCredentials } from '../output/visible-text.ts';
import type { CredentialFile, OAuthLogin } from './credential-file.ts';
import { withFileLock } from './file-lock.ts';

const TIMEOUT_MS = 30_000;
/** A token is refreshed this long before its end, so that it doesn't expire on its way. */
const EARLY_MS = 60_000;

/** The user's own app at one host. */
export interface OAuthClient {
  host: string;
  clientId: string;
  clientSecret: string;
}

/**
 * Returns an access token of a stored login. A refresh token works once, so one process at a time refreshes, and the
 * others use the tokens that it has stored.
 * @param refused access token that the service has just refused
 */
export async function obtainAccessToken(file: CredentialFile, host: string, refused?: string): Promise<string> {
  const stored = readLogin(file, host);
  if (isUsable(stored, refused)) return stored.accessToken;
  return withFileLock(`${file.path}.lock`, () => interrupts.hold(() => refreshLogin(file, host, refused)));
}

async function refreshLogin(file: CredentialFile, host: string, refused: string | undefined): Promise<string> {
  const login = readLogin(file, host);
  if (isUsable(login, refused)) return login.accessToken;
  // The refresh token is of no use after the request.
  file.checkWritable();
  const requestAccessToken = oauthToken({
    baseUrl: host,
    clientId: login.clientId,
    clientSecret: login.clientSecret,
    refreshToken: login.refreshToken,
    onRefresh: ({ accessToken, refreshToken, expiresInSeconds }) => {
      const expiresAt = Date.now() + expiresInSeconds * 1_000;
      file.saveLogin(host, { ...login, accessToken, refreshToken, expiresAt }, false);
    },
  });
  try {
    return await requestAccessToken({ reason: refused === undefined ? 'initial' : 'expired' });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_grant') throw createExpiryError();
    throw error;
  }
}

/** Exchanges a code. @throws CliError with the reason of the service; ApiError if something else has answered */
export async function requestTokens(client: OAuthClient, fields: Record<string, string>) {
  const tokens = await readTokenAnswer(await postForm(client, 'token', fields));
  if (!(tokens instanceof ApiError))
    return {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      expiresAt: Date.now() + tokens.expires_in * 1_000,
    };
  const { code, status, message } = tokens;
  if (code === 'unexpected_response') throw tokens;
  if (code === 'invalid_grant') throw createExpiryError();
  const exitCode = status === 429 || status >= 500 ? EXIT.notDelivered : EXIT.failed;
  throw new CliError(`The service doesn't issue a token: ${hideCredentials(message)}`, { code, exitCode });
}

/** Ends a login at the service. @throws Error if the service has not confirmed it */
export async function revokeLogin(client: OAuthClient, refreshToken: string): Promise<void> {
  const response = await postForm(client, 'revoke', { token: refreshToken });
  if (!isServiceSuccess(response)) throw await toApiError(response, true);
}

function postForm({ host, clientId, clientSecret }: OAuthClient, endpoint: string, fields: Record<string, string>) {
  return fetch(`${host}/external/v1/oauth/${endpoint}`, {
    method: 'POST',
    body: new URLSearchParams({ ...fields, client_id: clientId, client_secret: clientSecret }),
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

function createExpiryError(): CliError {
  return new CliError('This login has ended.', {
    code: 'login_expired',
    hint: 'Log in again: xapi login --client-id …',
  });
}

function readLogin(file: CredentialFile, host: string): OAuthLogin {
  const login = file.findLogin(host);
  if (login?.kind === 'oauth') return login;
  throw new CliError(`You have logged out of ${host}.`, { code: 'not_logged_in', hint: 'Log in again: xapi login' });
}

/** With a wrong clock, a token may be refused that seems valid, or seem to have expired. */
function isUsable(login: OAuthLogin, refused: string | undefined): boolean {
  return login.accessToken !== refused && (refused !== undefined || login.expiresAt - Date.now() > EARLY_MS);
}
