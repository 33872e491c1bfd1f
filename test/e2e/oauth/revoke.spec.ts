import { readTableDigests } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';

describe('POST /oauth/revoke (RFC 7009)', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;
  const me = async (token: string) => {
    const { status, body } = await service.http.get('/external/v1/me', token);
    return [status, body.reason];
  };
  const LIVE = [200, undefined];
  const DEAD = [401, 'revoked'];
  const revoke = async (token: string, extra: object = {}, by = app) => {
    const httpResponse = await by.postToEndpoint('revoke', { token, ...extra });
    expect([httpResponse.status, httpResponse.body]).toEqual([200, {}]);
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    bob = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada);
  });
  afterAll(() => service?.stop());

  it('revokes only an access token (§2.1)', async () => {
    const first = await app.obtainTokens(service, bob);
    const second = expectStatus(await app.refreshTokens(first.refresh_token), 200);
    expect(await me(first.access_token)).toEqual(LIVE);
    await revoke(first.access_token);
    expect(await me(first.access_token)).toEqual(DEAD);
    expect(await me(second.access_token)).toEqual(LIVE);
    expectStatus(await app.refreshTokens(second.refresh_token), 200);
  });

  it.each(['the newest', 'a rotated'])('revokes all tokens of a sign-in with %s refresh token', async (which) => {
    const other = await app.obtainTokens(service, bob);
    const first = await app.obtainTokens(service, bob);
    const second = expectStatus(await app.refreshTokens(first.refresh_token), 200);
    expect(await me(second.access_token)).toEqual(LIVE);
    await revoke(which === 'the newest' ? second.refresh_token : first.refresh_token);
    for (const { access_token: token } of [first, second]) expect(await me(token)).toEqual(DEAD);
    expect((await app.refreshTokens(second.refresh_token)).body.error).toBe('invalid_grant');
    expect(await me(other.access_token)).toEqual(LIVE);
  });

  it('keeps the person’s authorization', async () => {
    const tokens = await app.obtainTokens(service, bob);
    await revoke(tokens.refresh_token);
    const { data } = expectStatus(await service.http.get('/v1/account/authorized-apps', bob.token), 200);
    expect(data.map((one: any) => one.clientId)).toContain(app.clientId);
  });

  it("says nothing of unknown, dead and other clients' tokens, and leaves them (§2.1, §2.2)", async () => {
    const other = await ThirdPartyApp.register(ada);
    const tokens = await app.obtainTokens(service, bob);
    const image = await readTableDigests(service);
    const { token: pat } = await bob.createToken(['sessions:read']);
    for (const token of ['nonsense', `svc_oat_${'A'.repeat(36)}`, tokens.access_token, tokens.refresh_token, pat]) {
      await revoke(token, {}, other);
    }
    expect({ ...(await readTableDigests(service)), ...tables(image) }).toEqual(image);
    expect(await me(tokens.access_token)).toEqual(LIVE);
    expect((await service.http.get('/external/v1/me', pat)).status).toBe(200);
    await revoke(tokens.access_token);
    await revoke(tokens.access_token);
  });

  it.each(['access_token', 'refresh_token', 'nonsense'])('ignores the hint %s (§2.1)', async (hint) => {
    const tokens = await app.obtainTokens(service, bob);
    await revoke(tokens.refresh_token, { token_type_hint: hint });
    expect(await me(tokens.access_token)).toEqual(DEAD);
  });

  it('requires a token and client authentication (§2.1)', async () => {
    expect((await app.postToEndpoint('revoke', {})).body.error).toBe('invalid_request');
    expect((await app.postToEndpoint('revoke', { token: ['a', 'b'] })).body.error).toBe('invalid_request');
    expect((await app.postToEndpoint('revoke', { token: 'a' }, {})).body.error).toBe('invalid_client');
  });

  /** Returns the tables that the test itself writes to, and that of the times of last use of secrets. */
  function tables(digests: Record<string, string>) {
    const { external_tokens, external_token_secrets, audit_events, developer_app_secrets } = digests;
    return { external_tokens, external_token_secrets, audit_events, developer_app_secrets };
  }
});
