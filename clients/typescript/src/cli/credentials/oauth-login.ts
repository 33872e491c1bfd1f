import { createHash, randomBytes } from 'node:crypto';
import type { OAuthLogin } from './credential-file.ts';
import { LoopbackRedirect, type BrowserOptions } from './loopback-redirect.ts';
import { requestTokens, type OAuthClient } from './oauth-tokens.ts';

export interface AuthorizationOptions extends BrowserOptions {
  scopes: readonly string[];
}

/**
 * Lets the user authorize the app in a browser: authorization code with PKCE and a redirect to this computer. The app
 * must have registered the redirect URI http://127.0.0.1/callback.
 */
export async function authorizeApp(client: OAuthClient, options: AuthorizationOptions): Promise<OAuthLogin> {
  const verifier = randomBytes(32).toString('base64url');
  const redirect = await LoopbackRedirect.listen();
  try {
    const redirectUri = `http://127.0.0.1:${redirect.port}/callback`;
    const address = new URL(`${client.host}/external/v1/oauth/authorize`);
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: redirectUri,
      scope: options.scopes.join(' '),
      state: redirect.state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString();
    const code = await redirect.waitForAnswer(address, 'code', { iss: client.host }, options);
    const tokens = await requestTokens(client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    return { kind: 'oauth', clientId: client.clientId, clientSecret: client.clientSecret, ...tokens };
  } finally {
    redirect.close();
  }
}
