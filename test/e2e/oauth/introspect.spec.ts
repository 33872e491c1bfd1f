import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';

const HOUR = 3_600_000;

describe('POST /oauth/introspect (RFC 7662)', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;
  const introspect = async (token: string, by = app) => {
    const httpResponse = await by.postToEndpoint('introspect', { token });
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    return expectStatus(httpResponse, 200);
  };
  const INACTIVE = { active: false };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    bob = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada);
  });
  afterAll(() => service?.stop());

  it('describes the client’s access token (§2.2)', async () => {
    const { access_token: token } = await app.obtainTokens(service, bob, {
      scope: 'sessions:read usage:read',
    });
    const answer = await introspect(token);
    expect(answer).toEqual({
      active: true,
      scope: 'sessions:read usage:read',
      client_id: app.clientId,
      sub: bob.accountId,
      token_type: 'Bearer',
      exp: answer.iat + 3600,
      iat: expect.any(Number),
      iss: service.url,
    });
    expect(Math.abs(answer.iat - Date.now() / 1000)).toBeLessThan(60);
  });

  it('describes the client’s refresh token, without a token type', async () => {
    const { refresh_token: token } = await app.obtainTokens(service, bob, { scope: 'sessions:read' });
    const answer = await introspect(token);
    expect(answer).toEqual({
      active: true,
      scope: 'sessions:read',
      client_id: app.clientId,
      sub: bob.accountId,
      exp: answer.iat + 30 * 24 * 3600,
      iat: expect.any(Number),
      iss: service.url,
    });
  });

  it('contains the username with profile:read', async () => {
    const tokens = await app.obtainTokens(service, bob, { scope: 'profile:read' });
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect((await introspect(token)).username).toBe(bob.username);
    }
  });

  it('returns the same response for all other tokens (§2.2)', async () => {
    const other = await ThirdPartyApp.register(ada);
    const tokens = await app.obtainTokens(service, bob);
    const { token: pat } = await bob.createToken(['sessions:read']);
    for (const token of ['nonsense', `svc_oat_${'A'.repeat(36)}`, pat, bob.token, app.clientSecret]) {
      expect(await introspect(token)).toEqual(INACTIVE);
    }
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(await introspect(token, other)).toEqual(INACTIVE);
      expect((await introspect(token)).active).toBe(true);
    }
  });

  it('returns it for rotated, revoked and expired tokens', async () => {
    const first = await app.obtainTokens(service, bob);
    const second = expectStatus(await app.refreshTokens(first.refresh_token), 200);
    expect(await introspect(first.refresh_token)).toEqual(INACTIVE);
    service.advanceClock(HOUR);
    expect(await introspect(first.access_token)).toEqual(INACTIVE);
    expect((await introspect(second.refresh_token)).active).toBe(true);
    await app.postToEndpoint('revoke', { token: second.refresh_token });
    for (const token of [second.access_token, second.refresh_token]) {
      expect(await introspect(token)).toEqual(INACTIVE);
    }
  });

  it('doesn’t record a use of the token', async () => {
    const { access_token: token } = await app.obtainTokens(service, await ForeignAccountDevice.signUp(service.http));
    await introspect(token);
    expect(expectStatus(await service.http.get('/external/v1/me', token), 200).data.token.lastUsedAt).toBeNull();
  });

  it('requires a token and client authentication (§2.1)', async () => {
    expect((await app.postToEndpoint('introspect', {})).body.error).toBe('invalid_request');
    const { access_token: token } = await app.obtainTokens(service, bob);
    expect((await app.postToEndpoint('introspect', { token }, {})).body.error).toBe('invalid_client');
    const bearer = { Authorization: `Bearer ${token}` };
    expect((await app.postToEndpoint('introspect', { token }, bearer)).body.error).toBe('invalid_client');
  });
});
