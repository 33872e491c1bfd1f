import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { decideConsent, ThirdPartyApp } from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';

describe('an app that acts for a person', () => {
  let service: Service;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;
  const me = (token: string) => service.http.get('/external/v1/me', token);

  beforeAll(async () => {
    service = await Service.start();
    app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    bob = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('requests consent, gets tokens, calls, refreshes, introspects and revokes', async () => {
    const asked = await app.requestAuthorization({ state: 'x y' });
    expect(asked.status).toBe(303);
    const location = new URL(await decideConsent(service, bob, asked));
    expect(location.origin + location.pathname).toBe(app.redirectUri);
    expect(location.searchParams.get('state')).toBe('x y');
    expect(location.searchParams.get('iss')).toBe(service.url);

    const tokens = expectStatus(await app.exchangeCode(location.searchParams.get('code')!), 200);
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^svc_oat_[0-9A-Za-z]{36}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^svc_ort_[0-9A-Za-z]{36}$/),
      scope: 'sessions:read profile:read',
    });
    const { data } = expectStatus(await me(tokens.access_token), 200);
    expect(data.account).toMatchObject({ id: bob.accountId, username: bob.username });
    expect(data.token).toMatchObject({
      id: expect.stringMatching(/^tok_/),
      type: 'oauth',
      name: 'Notes',
      appId: app.clientId,
      scopes: ['sessions:read', 'profile:read'],
      lastUsedAt: null,
    });
    expect(data.token.expiresAt).toBe(data.token.createdAt + 3_600_000);

    const fresh = expectStatus(await app.refreshTokens(tokens.refresh_token), 200);
    expectStatus(await me(fresh.access_token), 200);
    expect(expectStatus(await app.postToEndpoint('introspect', { token: fresh.access_token }), 200)).toMatchObject({
      active: true,
      sub: bob.accountId,
      username: bob.username,
    });
    expect(expectStatus(await app.postToEndpoint('revoke', { token: fresh.refresh_token }), 200)).toEqual({});
    for (const token of [tokens.access_token, fresh.access_token]) {
      expect((await me(token)).body).toMatchObject({ code: 'invalid_token', reason: 'revoked' });
    }
  });
});
