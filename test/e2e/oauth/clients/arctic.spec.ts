import { CodeChallengeMethod, generateCodeVerifier, generateState, OAuth2Client, OAuth2RequestError } from 'arctic';
import { AccountDevice, ok } from '../../../support/device/foreign-device';
import { followAndAllow } from '../../../support/oauth/person-in-browser';
import { OAUTH, ThirdParty } from '../../../support/oauth/third-party';
import { Service } from '../../../support/service';

describe('arctic', () => {
  let service: Service;
  let bob: AccountDevice;
  let app: ThirdParty;
  const endpoint = (name: string) => `${service.url}${OAUTH}/${name}`;

  beforeAll(async () => {
    service = await Service.start();
    bob = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(await AccountDevice.signUp(service.http));
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
    const arrived = await followAndAllow(service, bob, url);
    return client.validateAuthorizationCode(endpoint('token'), arrived.searchParams.get('code')!, verifier);
  };

  it('signs a person in, refreshes and revokes, by HTTP Basic, the one method that it has', async () => {
    const client = new OAuth2Client(app.clientId, app.clientSecret, app.redirectUri);
    const tokens = await signIn(client);
    expect(tokens.tokenType()).toBe('Bearer');
    expect(tokens.accessTokenExpiresInSeconds()).toBe(3600);
    expect(tokens.scopes()).toEqual(['sessions:read', 'usage:read']);
    ok(await service.http.get('/external/v1/usage', tokens.accessToken()), 200);
    const fresh = await client.refreshAccessToken(endpoint('token'), tokens.refreshToken(), ['usage:read']);
    expect(fresh.scopes()).toEqual(['usage:read']);
    await client.revokeToken(endpoint('revoke'), fresh.refreshToken());
    const refreshing = client.refreshAccessToken(endpoint('token'), fresh.refreshToken(), []);
    await expect(refreshing).rejects.toBeInstanceOf(OAuth2RequestError);
    await expect(refreshing).rejects.toMatchObject({ code: 'invalid_grant' });
  });

  it('gets nothing as a public client', async () => {
    const client = new OAuth2Client(app.clientId, null, app.redirectUri);
    await expect(signIn(client)).rejects.toMatchObject({ code: 'invalid_client' });
  });
});
