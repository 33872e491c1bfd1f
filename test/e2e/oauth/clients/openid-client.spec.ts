import * as client from 'openid-client';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import { grantBrowserConsent } from '../../../support/oauth/browser-consent';
import { ThirdPartyApp } from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

describe('openid-client, by discovery', () => {
  let service: Service;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;
  const me = (token: string) => service.http.get('/external/v1/me', token);

  beforeAll(async () => {
    service = await Service.start();
    bob = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
  });
  afterAll(() => service?.stop());

  const discover = (authentication: client.ClientAuth) =>
    client.discovery(new URL(service.url), app.clientId, undefined, authentication, {
      algorithm: 'oauth2',
      execute: [client.allowInsecureRequests],
    });
  const start = async (config: client.Configuration, scope = 'sessions:read profile:read') => {
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: app.redirectUri,
      scope,
      state,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { url, checks: { pkceCodeVerifier: verifier, expectedState: state } };
  };

  it.each([
    ['HTTP Basic', () => client.ClientSecretBasic(app.clientSecret)],
    ['the body', () => client.ClientSecretPost(app.clientSecret)],
  ])('signs a person in, refreshes, introspects and revokes, with its secret in %s', async (_, secretIn) => {
    const config = await discover(secretIn());
    expect(config.serverMetadata().supportsPKCE()).toBe(true);
    const { url, checks } = await start(config);
    const arrived = await grantBrowserConsent(service, bob, url);
    const tokens = await client.authorizationCodeGrant(config, arrived, checks);
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'sessions:read profile:read' });
    expect(tokens.expiresIn()).toBeGreaterThan(3_590);
    expect(expectStatus(await me(tokens.access_token), 200).data.account.id).toBe(bob.accountId);

    const fresh = await client.refreshTokenGrant(config, tokens.refresh_token!, { scope: 'profile:read' });
    expect(fresh.scope).toBe('profile:read');
    expect(await client.tokenIntrospection(config, fresh.access_token)).toMatchObject({
      active: true,
      sub: bob.accountId,
      username: bob.username,
      iss: service.url,
    });
    await client.tokenRevocation(config, fresh.refresh_token!);
    expect(await client.tokenIntrospection(config, fresh.access_token)).toEqual({ active: false });
    expect((await me(fresh.access_token)).status).toBe(401);
  });

  it('understands errors', async () => {
    const config = await discover(client.ClientSecretBasic(app.clientSecret));
    const { url } = await start(config, 'machines:invoke');
    const httpResponse = await service.http.get(url.pathname + url.search);
    const arrived = new URL(httpResponse.headers.get('location')!);
    await expect(
      client.authorizationCodeGrant(config, arrived, { expectedState: client.skipStateCheck }),
    ).rejects.toMatchObject({ error: 'invalid_scope' });
    await expect(client.refreshTokenGrant(config, 'nonsense')).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    });
    const wrong = await discover(client.ClientSecretPost('wrong'));
    await expect(client.refreshTokenGrant(wrong, 'nonsense')).rejects.toMatchObject({ status: 401 });
  });

  it('detects the response of another issuer (RFC 9207)', async () => {
    const config = await discover(client.ClientSecretBasic(app.clientSecret));
    const { url, checks } = await start(config);
    const arrived = await grantBrowserConsent(service, bob, url);
    arrived.searchParams.set('iss', 'https://evil.example');
    await expect(client.authorizationCodeGrant(config, arrived, checks)).rejects.toThrow();
    arrived.searchParams.delete('iss');
    await expect(client.authorizationCodeGrant(config, arrived, checks)).rejects.toThrow();
  });
});
