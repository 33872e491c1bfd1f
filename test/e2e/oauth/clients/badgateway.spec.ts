import { generateCodeVerifier, OAuth2Client } from '@badgateway/oauth2-client';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import { grantBrowserConsent } from '../../../support/oauth/browser-consent';
import { ThirdPartyApp } from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

describe('@badgateway/oauth2-client, by discovery', () => {
  let service: Service;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;

  beforeAll(async () => {
    service = await Service.start();
    bob = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http), 'http://localhost/cb');
  });
  afterAll(() => service?.stop());

  it.each(['client_secret_basic', 'client_secret_basic_interop', 'client_secret_post'] as const)(
    'signs a person in, refreshes, introspects and revokes, by %s',
    async (authenticationMethod) => {
      const client = new OAuth2Client({
        server: service.url,
        discoveryEndpoint: '/.well-known/oauth-authorization-server',
        clientId: app.clientId,
        clientSecret: app.clientSecret,
        authenticationMethod,
      });
      const codeVerifier = await generateCodeVerifier();
      const redirectUri = 'http://localhost:54321/cb';
      const url = await client.authorizationCode.getAuthorizeUri({
        redirectUri,
        state: 'a state',
        codeVerifier,
        scope: ['sessions:read', 'profile:read'],
      });
      const arrived = await grantBrowserConsent(service, bob, url);
      expect(arrived.port).toBe('54321');
      const tokens = await client.authorizationCode.getTokenFromCodeRedirect(arrived, {
        redirectUri,
        state: 'a state',
        codeVerifier,
      });
      expectStatus(await service.http.get('/external/v1/sessions', tokens.accessToken), 200);

      const fresh = await client.refreshToken(tokens, { scope: ['profile:read'] });
      expect(fresh.refreshToken).not.toBe(tokens.refreshToken);
      expect(await client.introspect(fresh)).toMatchObject({
        active: true,
        scope: 'profile:read',
        username: bob.username,
      });
      await client.revoke(fresh, 'refresh_token');
      expect(await client.introspect(fresh)).toEqual({ active: false });
      await expect(client.refreshToken(fresh)).rejects.toMatchObject({
        oauth2Code: 'invalid_grant',
        httpCode: 400,
      });
    },
  );
});
