import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError } from '../errors.ts';
import { requestTokens, type OAuthClient } from './oauth-tokens.ts';
import type { OAuthLogin } from './credential-file.ts';

const TIMEOUT_MS = 10 * 60_000;
const PAGE = (text: string) =>
  `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>xapi</title>` +
  `<body style="font:1.1rem/1.5 system-ui;margin:20vh auto;max-width:30rem;padding:0 1rem"><h1>xapi</h1><p>${text}</p>`;

/** Redirect URI that the app must have registered. The port is free (RFC 8252 §7.3). */
export const REGISTERED_REDIRECT_URI = 'http://127.0.0.1/callback';

export interface AuthorizationOptions {
  scopes: readonly string[];
  /** Receives the address that the user must open. */
  showAddress: (address: string) => void;
  opensBrowser: boolean;
}

/** Lets the user authorize the app in a browser: authorization code with PKCE and a redirect to this computer. */
export async function authorizeApp(client: OAuthClient, options: AuthorizationOptions): Promise<OAuthLogin> {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    const address = new URL(`${client.host}/external/v1/oauth/authorize`);
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: redirectUri,
      scope: options.scopes.join(' '),
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString();
    const redirected = waitForRedirect(server, state, client.host);
    options.showAddress(address.href);
    if (options.opensBrowser) openBrowser(address.href);
    const code = await redirected;
    const tokens = await requestTokens(client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    return { kind: 'oauth', clientId: client.clientId, clientSecret: client.clientSecret, ...tokens };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Resolves with the code of the redirect that has this state and issuer. Others are answered and ignored. */
function waitForRedirect(server: Server, state: string, issuer: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new CliError('Nobody has decided within 10 minutes.', { code: 'timeout', exitCode: 124 })),
      TIMEOUT_MS,
    );
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const answer = (status: number, text: string) =>
        response.writeHead(status, { 'content-type': 'text/html', connection: 'close' }).end(PAGE(text));
      if (pathname !== '/callback' || searchParams.get('state') !== state || searchParams.get('iss') !== issuer) {
        answer(400, 'This is not the answer that xapi waits for.');
        return;
      }
      const code = searchParams.get('code');
      clearTimeout(timer);
      // The page must arrive before the program ends.
      response.once('finish', () => {
        if (code !== null) resolve(code);
        else
          reject(
            new CliError('The authorization was refused.', { code: searchParams.get('error') ?? 'access_denied' }),
          );
      });
      answer(200, code === null ? 'Nothing was authorized.' : 'You are logged in. You can close this window.');
    });
  });
}

/** Opens the default browser if there is one. The address is also printed. */
function openBrowser(address: string): void {
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const { XAPI_TOKEN: _token, XAPI_CLIENT_SECRET: _secret, ...env } = process.env;
  const child = spawn(command, [address], { stdio: 'ignore', detached: true, env });
  child.once('error', () => undefined);
  child.unref();
}
