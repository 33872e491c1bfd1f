import { databaseImage } from '../../support/database';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { ThirdParty } from '../../support/oauth/third-party';
import { Service } from '../../support/service';

describe('POST /oauth/revoke (RFC 7009)', () => {
  let service: Service;
  let ada: AccountDevice;
  let bob: AccountDevice;
  let app: ThirdParty;
  const me = async (token: string) => {
    const { status, body } = await service.http.get('/external/v1/me', token);
    return [status, body.reason];
  };
  const LIVE = [200, undefined];
  const DEAD = [401, 'revoked'];
  const revoke = async (token: string, extra: object = {}, by = app) => {
    const answer = await by.post('revoke', { token, ...extra });
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    bob = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(ada);
  });
  afterAll(() => service?.stop());

  it('ends an access token alone (§2.1)', async () => {
    const first = await app.tokens(service, bob);
    const second = ok(await app.refresh(first.refresh_token), 200);
    expect(await me(first.access_token)).toEqual(LIVE);
    await revoke(first.access_token);
    expect(await me(first.access_token)).toEqual(DEAD);
    expect(await me(second.access_token)).toEqual(LIVE);
    ok(await app.refresh(second.refresh_token), 200);
  });

  it.each(['the newest', 'a rotated'])('ends all tokens of a sign-in with %s refresh token', async (which) => {
    const other = await app.tokens(service, bob);
    const first = await app.tokens(service, bob);
    const second = ok(await app.refresh(first.refresh_token), 200);
    expect(await me(second.access_token)).toEqual(LIVE);
    await revoke(which === 'the newest' ? second.refresh_token : first.refresh_token);
    for (const { access_token: token } of [first, second]) expect(await me(token)).toEqual(DEAD);
    expect((await app.refresh(second.refresh_token)).body.error).toBe('invalid_grant');
    expect(await me(other.access_token)).toEqual(LIVE);
  });

  it('leaves what the person has agreed to', async () => {
    const tokens = await app.tokens(service, bob);
    await revoke(tokens.refresh_token);
    const { data } = ok(await service.http.get('/v1/account/authorized-apps', bob.token), 200);
    expect(data.map((one: any) => one.clientId)).toContain(app.clientId);
  });

  it("says nothing of unknown, dead and other clients' tokens, and leaves them (§2.1, §2.2)", async () => {
    const other = await ThirdParty.register(ada);
    const tokens = await app.tokens(service, bob);
    await other.post('introspect', { token: 'x' });
    const image = await databaseImage(service);
    const { token: pat } = await bob.createToken(['sessions:read']);
    for (const token of ['nonsense', `svc_oat_${'A'.repeat(36)}`, tokens.access_token, tokens.refresh_token, pat]) {
      await revoke(token, {}, other);
    }
    expect({ ...(await databaseImage(service)), ...tables(image) }).toEqual(image);
    expect(await me(tokens.access_token)).toEqual(LIVE);
    expect((await service.http.get('/external/v1/me', pat)).status).toBe(200);
    await revoke(tokens.access_token);
    await revoke(tokens.access_token);
  });

  it.each(['access_token', 'refresh_token', 'nonsense'])('is not misled by the hint %s (§2.1)', async (hint) => {
    const tokens = await app.tokens(service, bob);
    await revoke(tokens.refresh_token, { token_type_hint: hint });
    expect(await me(tokens.access_token)).toEqual(DEAD);
  });

  it('needs a token, and the client (§2.1)', async () => {
    expect((await app.post('revoke', {})).body.error).toBe('invalid_request');
    expect((await app.post('revoke', { token: ['a', 'b'] })).body.error).toBe('invalid_request');
    expect((await app.post('revoke', { token: 'a' }, {})).body.error).toBe('invalid_client');
  });

  /** Those that the test itself wrote meanwhile. */
  function tables({ external_tokens, external_token_secrets }: Record<string, string>) {
    return { external_tokens, external_token_secrets };
  }
});
