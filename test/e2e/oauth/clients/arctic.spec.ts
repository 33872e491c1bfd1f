import { CodeChallengeMethod, generateCodeVerifier, generateState, OAuth2Client, OAuth2RequestError } from 'arctic';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import { grantBrowserConsent } from '../../../support/oauth/browser-consent';
import { OAUTH_PATH, ThirdPartyApp } from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

describe('arctic', () => {
  let service: Service;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;
  const endpoint = (name: string) => `${service.url}${OAUTH_PATH}/${name}`;

  beforeAll(async () => {
    service = await Service.start();
    bob = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
  });
  afterAll(() => service?.stop());

  const signIn = async (client: OAuth2Client) => {
    const verifier = generateCodeVerifier();
    const url = client.createAuthorizationURLWithPKCE(
      endpoint('authorize'),
      generateState(),
      CodeChallengeMethod.S256,
      verifier,
      ['sessions:read', 'usage:read'],
    );
    const arrived = await grantBrowserConsent(service, bob, url);
    return client.validateAuthorizationCode(endpoint('token'), arrived.searchParams.get('code')!, verifier);
  };

  it('signs a person in, refreshes and revokes with HTTP Basic, its only method', async () => {
    const client = new OAuth2Client(app.clientId, app.clientSecret, app.redirectUri);
    const tokens = await signIn(client);
    expect(tokens.tokenType()).toBe('Bearer');
    expect(tokens.accessTokenExpiresInSeconds()).toBe(3600);
    expect(tokens.scopes()).toEqual(['sessions:read', 'usage:read']);
    expectStatus(await service.http.get('/external/v1/usage', tokens.accessToken()), 200);
    const fresh = await client.refreshAccessToken(endpoint('token'), tokens.refreshToken(), ['usage:read']);
    expect(fresh.scopes()).toEqual(['usage:read']);
    await client.revokeToken(endpoint('revoke'), fresh.refreshToken());
    const refreshing = client.refreshAccessToken(endpoint('token'), fresh.refreshToken(), []);
    await expect(refreshing).rejects.toBeInstanceOf(OAuth2RequestError);
    await expect(refreshing).rejects.toMatchObject({ code: 'invalid_grant' });
  });

  it('is rejected as a public client', async () => {
    const client = new OAuth2Client(app.clientId, null, app.redirectUri);
    await expect(signIn(client)).rejects.toMatchObject({ code: 'invalid_client' });
  });
});
