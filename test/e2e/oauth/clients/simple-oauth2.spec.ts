import { AuthorizationCode } from 'simple-oauth2';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import { grantBrowserConsent } from '../../../support/oauth/browser-consent';
import {
  computeCodeChallenge,
  OAUTH_PATH,
  ThirdPartyApp,
  createRandomText,
} from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

describe('simple-oauth2', () => {
  let service: Service;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;

  beforeAll(async () => {
    service = await Service.start();
    bob = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http), 'https://app.example/cb?x=1');
  });
  afterAll(() => service?.stop());

  const clientWith = (options: object, secret = app.clientSecret) =>
    new AuthorizationCode({
      client: { id: app.clientId, secret },
      auth: {
        tokenHost: service.url,
        tokenPath: `${OAUTH_PATH}/token`,
        revokePath: `${OAUTH_PATH}/revoke`,
        authorizePath: `${OAUTH_PATH}/authorize`,
      },
      options,
    });

  it.each([
    ['a header', { authorizationMethod: 'header' }],
    ['a header as it is', { authorizationMethod: 'header', credentialsEncodingMode: 'loose' }],
    ['the body', { authorizationMethod: 'body' }],
  ])('signs a person in, refreshes and revokes, with its secret in %s', async (_, options) => {
    const client = clientWith(options);
    const verifier = createRandomText();
    const url = client.authorizeURL({
      redirect_uri: app.redirectUri,
      scope: ['sessions:read', 'usage:read'],
      state: 'x y',
      code_challenge: computeCodeChallenge(verifier),
      code_challenge_method: 'S256',
    } as never);
    const arrived = await grantBrowserConsent(service, bob, url);
    expect(arrived.searchParams.get('x')).toBe('1');
    expect(arrived.searchParams.get('state')).toBe('x y');
    const parameters = {
      code: arrived.searchParams.get('code')!,
      redirect_uri: app.redirectUri,
      code_verifier: verifier,
    };
    const tokens = await client.getToken(parameters);
    expect(tokens.expired()).toBe(false);
    expectStatus(await service.http.get('/external/v1/usage', tokens.token.access_token as string), 200);
    const fresh = await tokens.refresh({ scope: 'usage:read' });
    expect(fresh.token.scope).toBe('usage:read');
    await fresh.revokeAll();
    const httpResponse = await service.http.get('/external/v1/usage', fresh.token.access_token as string);
    expect(httpResponse.body.reason).toBe('revoked');
  });

  it('understands errors', async () => {
    const getting = clientWith({}, 'wrong').getToken({ code: 'x', redirect_uri: app.redirectUri });
    await expect(getting).rejects.toMatchObject({ output: { statusCode: 401 } });
  });
});
