import type { Request } from 'express';
import OAuth2Strategy from 'passport-oauth2';
import { AccountDevice, ok } from '../../../support/device/foreign-device';
import { followAndAllow } from '../../../support/oauth/person-in-browser';
import { basic, OAUTH, ThirdParty } from '../../../support/oauth/third-party';
import { Service } from '../../../support/service';

interface Outcome {
  location?: string;
  user?: { accessToken: string; refreshToken: string; results: Record<string, unknown> };
  failed?: unknown;
}

/** What Passport does with a strategy, for one request of a browser whose session is `session`. */
function authenticate(strategy: OAuth2Strategy, session: object, query: object): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const acting = Object.assign(Object.create(strategy) as OAuth2Strategy, {
      redirect: (location: string) => resolve({ location }),
      success: (user: Outcome['user']) => resolve({ user }),
      fail: (failed: unknown) => resolve({ failed }),
      error: reject,
    });
    acting.authenticate({ query, session, headers: {} } as unknown as Request, {
      scope: ['sessions:read', 'usage:read'],
    });
  });
}

describe('passport-oauth2', () => {
  let service: Service;
  let bob: AccountDevice;
  let app: ThirdParty;

  beforeAll(async () => {
    service = await Service.start();
    bob = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(await AccountDevice.signUp(service.http));
  });
  afterAll(() => service?.stop());

  const strategyWith = (options: object) =>
    new OAuth2Strategy(
      {
        authorizationURL: `${service.url}${OAUTH}/authorize`,
        tokenURL: `${service.url}${OAUTH}/token`,
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
    const { location } = await authenticate(strategy, session, {});
    const arrived = await followAndAllow(service, bob, location!);
    const { user } = await authenticate(strategy, session, Object.fromEntries(arrived.searchParams));
    ok(await service.http.get('/external/v1/usage', user!.accessToken), 200);
    expect(user!.results).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    ok(await app.refresh(user!.refreshToken), 200);
  });

  it('signs a person in, with its secret in a header as well as its users configure it', async () => {
    const headers = { Authorization: basic(app.clientId, app.clientSecret) };
    const strategy = strategyWith({ clientSecret: '', customHeaders: headers });
    const session = {};
    const { location } = await authenticate(strategy, session, {});
    const arrived = await followAndAllow(service, bob, location!);
    const { user } = await authenticate(strategy, session, Object.fromEntries(arrived.searchParams));
    ok(await service.http.get('/external/v1/usage', user!.accessToken), 200);
  });

  it('understands a person who says no, and a code that is no good', async () => {
    const strategy = strategyWith({});
    const { failed } = await authenticate(strategy, {}, { error: 'access_denied' });
    expect(failed).toBeDefined();
    const session = {};
    const { location } = await authenticate(strategy, session, {});
    const state = new URL(location!).searchParams.get('state')!;
    await expect(authenticate(strategy, session, { code: 'nonsense', state })).rejects.toMatchObject({
      code: 'invalid_grant',
    });
  });
});
