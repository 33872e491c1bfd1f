import { createHash } from 'node:crypto';
import { ConsoleClient } from '../../../support/console-client';
import { expectStatus, type ForeignAccountDevice } from '../../../support/device/foreign-device';

const CALLBACK_ADDRESS = 'https://app.example/callback';
const PKCE_VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const FORM_HEADERS = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** App that a person has authorized over HTTP. */
export interface FuzzAuthorizedApp {
  clientId: string;
  /** Credentials for HTTP Basic. */
  basic: string;
  accessToken: string;
  refreshToken: string;
  /** Query of a valid authorization request. */
  authorizationQuery: string[];
}

export async function createAuthorizedApp(url: string, person: ForeignAccountDevice): Promise<FuzzAuthorizedApp> {
  const { http } = person;
  const registered = { name: 'Notes', redirectUris: [CALLBACK_ADDRESS] };
  const { data, clientSecret } = expectStatus(await http.post('/v1/developer/apps', person.token, registered), 201);
  const { clientId } = data as { clientId: string };
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const challenge = createHash('sha256').update(PKCE_VERIFIER).digest('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK_ADDRESS,
    scope: 'sessions:read profile:read',
    state: 'a state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }).toString();

  const authorization = await http.get(`/external/v1/oauth/authorize?${query}`);
  const consentPath = new URL(authorization.headers.get('location')!, url).pathname;
  const consoleClient = await ConsoleClient.signIn(url, person);
  const { html } = await consoleClient.get(consentPath);
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(html)![1]!;
  const userDecision = { ticket: field('ticket'), csrf: field('csrf'), decision: 'allow' };
  const { headers } = await consoleClient.post(consentPath, userDecision);
  const code = new URL(headers.get('location')!).searchParams.get('code')!;

  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK_ADDRESS,
    code_verifier: PKCE_VERIFIER,
  };
  const exchange = {
    raw: new URLSearchParams(form).toString(),
    headers: { ...FORM_HEADERS, Authorization: basic },
  };
  const tokens = expectStatus(await http.request('POST', '/external/v1/oauth/token', exchange), 200);
  return {
    clientId,
    basic,
    accessToken: tokens.access_token as string,
    refreshToken: tokens.refresh_token as string,
    authorizationQuery: query.split('&'),
  };
}
