import * as oauth from 'oauth4webapi';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import { grantBrowserConsent } from '../../../support/oauth/browser-consent';
import { ThirdPartyApp } from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

/** The strictest client, which checks types, headers and members of every response. */
describe('oauth4webapi', () => {
  const http = { [oauth.allowInsecureRequests]: true };
  let service: Service;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;
  let server: oauth.AuthorizationServer;

  beforeAll(async () => {
    service = await Service.start();
    bob = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    const issuer = new URL(service.url);
    const answer = await oauth.discoveryRequest(issuer, { ...http, algorithm: 'oauth2' });
    server = await oauth.processDiscoveryResponse(issuer, answer);
  });
  afterAll(() => service?.stop());

  it.each([
    ['HTTP Basic', () => oauth.ClientSecretBasic(app.clientSecret)],
    ['the body', () => oauth.ClientSecretPost(app.clientSecret)],
  ])('signs a person in, refreshes, introspects and revokes, with its secret in %s', async (_, secretIn) => {
    const client: oauth.Client = { client_id: app.clientId };
    const authentication = secretIn();
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(server.authorization_endpoint!);
    url.search = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: app.redirectUri,
      response_type: 'code',
      scope: 'usage:read',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();

    const arrived = await grantBrowserConsent(service, bob, url);
    const parameters = oauth.validateAuthResponse(server, client, arrived, state);
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        app.redirectUri,
        verifier,
        http,
      ),
    );
    expectStatus(await service.http.get('/external/v1/usage', tokens.access_token), 200);

    const fresh = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refresh_token!, http),
    );
    const introspect = async (token: string) =>
      oauth.processIntrospectionResponse(
        server,
        client,
        await oauth.introspectionRequest(server, client, authentication, token, http),
      );
    expect(await introspect(fresh.access_token)).toMatchObject({ active: true, client_id: app.clientId });
    const revoked = await oauth.revocationRequest(server, client, authentication, fresh.refresh_token!, http);
    await oauth.processRevocationResponse(revoked);
    expect(await introspect(fresh.access_token)).toEqual({ active: false });
  });

  it.each([
    ['HTTP Basic', () => oauth.ClientSecretBasic('wrong'), oauth.WWWAuthenticateChallengeError],
    ['the body', () => oauth.ClientSecretPost('wrong'), oauth.ResponseBodyError],
  ])('understands the error of a wrong secret in %s', async (_, secretIn, error) => {
    const client: oauth.Client = { client_id: app.clientId };
    const answer = await oauth.refreshTokenGrantRequest(server, client, secretIn(), 'nonsense', http);
    await expect(oauth.processRefreshTokenResponse(server, client, answer)).rejects.toBeInstanceOf(error);
  });
});
