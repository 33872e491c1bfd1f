import { ApiError } from './errors.ts';
import { describeFailure } from './http/connection-failure.ts';
import {
  createForeignAnswerError,
  isServiceSuccess,
  parseJson,
  readBody,
  readRetryAfter,
  toApiError,
} from './http/response.ts';
import type { Token } from './http/token-source.ts';
import { toHostUrl } from './http/transport.ts';

const ATTEMPT_TIMEOUT_MS = 20_000;

/** Tokens of an OAuth app, as the service issued them. Store all of them: a refresh token works once. */
export interface OAuthTokens {
  accessToken: string;
  refreshToken: string;
  expiresInSeconds: number;
  scope: string;
}

export interface OAuthTokenOptions {
  baseUrl: string | URL;
  clientId: string;
  clientSecret: string;
  refreshToken: string;
  /** An access token that may still be valid. Without one, the first call refreshes. */
  accessToken?: string | undefined;
  /** Is awaited before the new access token is used, so that a stored refresh token is never one that was used. */
  onRefresh?: ((tokens: OAuthTokens) => void | Promise<void>) | undefined;
  fetch?: typeof globalThis.fetch | undefined;
}

/** Response of `POST /oauth/token` (RFC 6749, section 5.1). */
interface TokenResponse {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
}

/**
 * Returns a `token` for {@link ExternalApiClient} that refreshes the access token of an OAuth app when it expires. A
 * client refreshes once, however many calls notice the expiry at once, and repeats a failed refresh like a call.
 * Processes that share a refresh token must refresh one at a time.
 * @throws ApiError `invalid_grant` if the sign-in has ended: send the person through the authorization again
 */
export function oauthToken(options: OAuthTokenOptions): Exclude<Token, string> {
  let { accessToken, refreshToken } = options;
  return async ({ reason }) => {
    if (reason === 'initial' && accessToken !== undefined) return accessToken;
    // A refused call has reached the host.
    const response = await requestToken(options, refreshToken, reason === 'expired');
    if (response instanceof ApiError) throw response;
    refreshToken = response.refresh_token;
    await options.onRefresh?.({
      accessToken: response.access_token,
      refreshToken,
      expiresInSeconds: response.expires_in,
      scope: response.scope,
    });
    // After a failure of `onRefresh`, the next call refreshes again, so that no token is used that isn't stored.
    accessToken = response.access_token;
    return accessToken;
  };
}

async function requestToken(
  options: OAuthTokenOptions,
  refreshToken: string,
  hasAnswered: boolean,
): Promise<TokenResponse | ApiError> {
  const url = `${toHostUrl(options.baseUrl)}/external/v1/oauth/token`;
  try {
    const response = await (options.fetch ?? globalThis.fetch)(url, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: options.clientId,
        client_secret: options.clientSecret,
      }),
      redirect: 'manual',
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
    });
    return await readTokenAnswer(response);
  } catch (error) {
    // The call that needs the token has not been sent.
    return describeFailure(error, { url, isSafe: true }, refreshToken, hasAnswered);
  }
}

/**
 * Returns tokens, or the error of the service or of what has answered instead of it. That error has no `outcome`: a
 * token request has no effect on a device.
 */
export async function readTokenAnswer(response: Response): Promise<TokenResponse | ApiError> {
  if (!isServiceSuccess(response)) return (await readOAuthError(response)) ?? (await toApiError(response, false));
  const tokens = await readBody(response);
  return isTokenResponse(tokens) ? tokens : createForeignAnswerError(response, false);
}

function isTokenResponse(value: unknown): value is TokenResponse {
  const { access_token, refresh_token, expires_in } = (value ?? {}) as Record<string, unknown>;
  return typeof access_token === 'string' && typeof refresh_token === 'string' && typeof expires_in === 'number';
}

/** Reads an error of RFC 6749 §5.2. Returns undefined for other responses. */
async function readOAuthError(response: Response): Promise<ApiError | undefined> {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id') ?? undefined;
  if (requestId === undefined || !/^application\/json/.test(headers.get('content-type') ?? '')) return undefined;
  const { error, error_description: message } = parseJson(await response.text()) as Record<string, string>;
  if (!error) return undefined;
  const retryAfterSeconds = readRetryAfter(headers);
  return new ApiError({ status, requestId, retryAfterSeconds, code: error, message: message ?? error });
}
