import { AccountDevice, ok } from '../../support/device/foreign-device';
import { ThirdParty } from '../../support/oauth/third-party';
import { Service } from '../../support/service';

const HOUR = 3_600_000;

describe('POST /oauth/introspect (RFC 7662)', () => {
  let service: Service;
  let ada: AccountDevice;
  let bob: AccountDevice;
  let app: ThirdParty;
  const introspect = async (token: string, by = app) => {
    const answer = await by.post('introspect', { token });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    return ok(answer, 200);
  };
  const INACTIVE = { active: false };

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    bob = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(ada);
  });
  afterAll(() => service?.stop());

  it('tells a client of its access token (§2.2)', async () => {
    const { access_token: token } = await app.tokens(service, bob, { scope: 'sessions:read usage:read' });
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

  it('tells it of its refresh token, which is of no token type', async () => {
    const { refresh_token: token } = await app.tokens(service, bob, { scope: 'sessions:read' });
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

  it('names the person where the app may read the profile', async () => {
    const tokens = await app.tokens(service, bob, { scope: 'profile:read' });
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect((await introspect(token)).username).toBe(bob.username);
    }
  });

  it('says of all others one thing (§2.2)', async () => {
    const other = await ThirdParty.register(ada);
    const tokens = await app.tokens(service, bob);
    const { token: pat } = await bob.createToken(['sessions:read']);
    for (const token of ['nonsense', `svc_oat_${'A'.repeat(36)}`, pat, bob.token, app.clientSecret]) {
      expect(await introspect(token)).toEqual(INACTIVE);
    }
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(await introspect(token, other)).toEqual(INACTIVE);
      expect((await introspect(token)).active).toBe(true);
    }
  });

  it('says it of tokens that are rotated, revoked or expired', async () => {
    const first = await app.tokens(service, bob);
    const second = ok(await app.refresh(first.refresh_token), 200);
    expect(await introspect(first.refresh_token)).toEqual(INACTIVE);
    service.advance(HOUR);
    expect(await introspect(first.access_token)).toEqual(INACTIVE);
    expect((await introspect(second.refresh_token)).active).toBe(true);
    await app.post('revoke', { token: second.refresh_token });
    for (const token of [second.access_token, second.refresh_token]) {
      expect(await introspect(token)).toEqual(INACTIVE);
    }
  });

  it('does not use a token by asking about it', async () => {
    const { access_token: token } = await app.tokens(service, await AccountDevice.signUp(service.http));
    await introspect(token);
    expect(ok(await service.http.get('/external/v1/me', token), 200).data.token.lastUsedAt).toBeNull();
  });

  it('needs a token, and the client (§2.1)', async () => {
    expect((await app.post('introspect', {})).body.error).toBe('invalid_request');
    const { access_token: token } = await app.tokens(service, bob);
    expect((await app.post('introspect', { token }, {})).body.error).toBe('invalid_client');
    const bearer = { Authorization: `Bearer ${token}` };
    expect((await app.post('introspect', { token }, bearer)).body.error).toBe('invalid_client');
  });
});
