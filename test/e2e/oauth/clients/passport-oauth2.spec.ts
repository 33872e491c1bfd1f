import type { Request } from 'express';
import OAuth2Strategy from 'passport-oauth2';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import { grantBrowserConsent } from '../../../support/oauth/browser-consent';
import { createBasicAuthorization, OAUTH_PATH, ThirdPartyApp } from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

interface StrategyResult {
  location?: string;
  user?: { accessToken: string; refreshToken: string; results: Record<string, unknown> };
  failed?: unknown;
}

/** Runs a strategy like Passport for one request of a browser with this session. */
function runStrategy(strategy: OAuth2Strategy, session: object, query: object): Promise<StrategyResult> {
  return new Promise((resolve, reject) => {
    const strategyInstance = Object.assign(Object.create(strategy) as OAuth2Strategy, {
      redirect: (location: string) => resolve({ location }),
      success: (user: StrategyResult['user']) => resolve({ user }),
      fail: (failed: unknown) => resolve({ failed }),
      error: reject,
    });
    strategyInstance.authenticate({ query, session, headers: {} } as unknown as Request, {
      scope: ['sessions:read', 'usage:read'],
    });
  });
}

describe('passport-oauth2', () => {
  let service: Service;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;

  beforeAll(async () => {
    service = await Service.start();
    bob = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
  });
  afterAll(() => service?.stop());

  const strategyWith = (options: object) =>
    new OAuth2Strategy(
      {
        authorizationURL: `${service.url}${OAUTH_PATH}/authorize`,
        tokenURL: `${service.url}${OAUTH_PATH}/token`,
        clientID: app.clientId,
        clientSecret: app.clientSecret,
        callbackURL: app.redirectUri,
        pkce: true,
        state: true,
        ...options,
      },
      (accessToken: string, refreshToken: string, results: any, _profile: any, done: any) =>
        done(null, { accessToken, refreshToken, results }),
    );

  it('signs a person in, with its secret in the body', async () => {
    const strategy = strategyWith({});
    const session = {};
    const { location } = await runStrategy(strategy, session, {});
    const arrived = await grantBrowserConsent(service, bob, location!);
    const { user } = await runStrategy(strategy, session, Object.fromEntries(arrived.searchParams));
    expectStatus(await service.http.get('/external/v1/usage', user!.accessToken), 200);
    expect(user!.results).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expectStatus(await app.refreshTokens(user!.refreshToken), 200);
  });

  it('signs a person in with its secret in a configured header', async () => {
    const headers = { Authorization: createBasicAuthorization(app.clientId, app.clientSecret) };
    const strategy = strategyWith({ clientSecret: '', customHeaders: headers });
    const session = {};
    const { location } = await runStrategy(strategy, session, {});
    const arrived = await grantBrowserConsent(service, bob, location!);
    const { user } = await runStrategy(strategy, session, Object.fromEntries(arrived.searchParams));
    expectStatus(await service.http.get('/external/v1/usage', user!.accessToken), 200);
  });

  it('understands a denied request and an invalid code', async () => {
    const strategy = strategyWith({});
    const { failed } = await runStrategy(strategy, {}, { error: 'access_denied' });
    expect(failed).toBeDefined();
    const session = {};
    const { location } = await runStrategy(strategy, session, {});
    const state = new URL(location!).searchParams.get('state')!;
    await expect(runStrategy(strategy, session, { code: 'nonsense', state })).rejects.toMatchObject({
      code: 'invalid_grant',
    });
  });
});
