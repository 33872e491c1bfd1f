import { query } from '../../support/database';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { postForm, ThirdParty } from '../../support/oauth/third-party';
import { Service } from '../../support/service';

const ME = '/external/v1/me';

describe("an app's access token (RFC 6750)", () => {
  let service: Service;
  let ada: AccountDevice;
  let bob: AccountDevice;
  let app: ThirdParty;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    bob = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(ada);
  });
  afterAll(() => service?.stop());

  it('acts for the person who agreed, in the scopes that they agreed to', async () => {
    const session = await bob.openSession(bob);
    const { access_token: token } = await app.tokens(service, bob, { scope: 'sessions:read' });
    const { data } = ok(await service.http.get('/external/v1/sessions', token), 200);
    expect(data.map((one: any) => one.id)).toEqual([session.id]);
    const refused = await service.http.get('/external/v1/usage', token);
    expect([refused.status, refused.body.required]).toEqual([403, ['usage:read']]);
    expect(refused.headers.get('www-authenticate')).toMatch(/error="insufficient_scope", scope="usage:read"/);
  });

  it('names app and account in /me, and its creation where it may read the profile', async () => {
    const plain = (await app.tokens(service, bob, { scope: 'usage:read' })).access_token;
    const { data } = ok(await service.http.get(ME, plain), 200);
    expect(data.account).toEqual({ id: bob.accountId, username: bob.username, createdAt: null });
    expect(data.token).toMatchObject({ type: 'oauth', appId: app.clientId, name: 'Notes' });
    const profile = (await app.tokens(service, bob, { scope: 'profile:read' })).access_token;
    expect(ok(await service.http.get(ME, profile), 200).data.account.createdAt).toEqual(expect.any(Number));
  });

  it('is taken from the header alone (§2.1 to §2.3, RFC 9700 §4.3.2)', async () => {
    const { access_token: token } = await app.tokens(service, bob);
    const inQuery = await service.http.get(`${ME}?access_token=${token}`);
    expect([inQuery.status, inQuery.body.code]).toEqual([401, 'missing_token']);
    const inBody = await postForm(service.http, '/external/v1/machines/x/invoke', `access_token=${token}`);
    expect([inBody.status, inBody.body.code]).toEqual([401, 'missing_token']);
  });

  it('ends after an hour (§3.1)', async () => {
    const { access_token: token } = await app.tokens(service, bob);
    service.advance(3_599_000);
    ok(await service.http.get(ME, token), 200);
    service.advance(1_000);
    const answer = await service.http.get(ME, token);
    expect([answer.status, answer.body.code, answer.body.reason]).toEqual([401, 'invalid_token', 'expired']);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="external-api", error="invalid_token"/);
    await bob.signIn();
    await ada.signIn();
  });

  it.each([
    ['a refresh token', (tokens: any) => tokens.refresh_token],
    ['a client id', () => app.clientId],
    ['a client secret', () => app.clientSecret],
  ])('is not %s: of the wrong kind is unknown', async (_, choose) => {
    const answer = await service.http.get(ME, choose(await app.tokens(service, bob)));
    expect([answer.status, answer.body.reason]).toEqual([401, 'unknown']);
  });

  it('opens none of the account paths', async () => {
    const { access_token: token } = await app.tokens(service, bob);
    for (const path of ['/v1/account', '/v1/account/authorized-apps', '/v1/developer/apps', '/v1/devices']) {
      const answer = await service.http.get(path, token);
      expect([answer.status, answer.body.reason]).toEqual([401, 'unknown']);
    }
  });

  it('runs no command, by whatever way it came by the scope', async () => {
    const scope = 'sessions:read machines:read';
    const tokens = await app.tokens(service, bob, { scope });
    for (const table of ['oauth_access_tokens', 'oauth_token_families', 'app_authorizations']) {
      await query(service, `UPDATE ${table} SET scopes = scopes || '{machines:invoke,machines:invoke:verified}'`);
    }
    const fresh = ok(await app.refresh(tokens.refresh_token), 200);
    for (const token of [tokens.access_token, fresh.access_token]) {
      expect(ok(await service.http.get(ME, token), 200).data.token.scopes).toEqual(scope.split(' '));
      const answer = await service.http.post('/external/v1/machines/mch_x/invoke', token, { command: 'id' });
      expect([answer.status, answer.body.required]).toEqual([403, ['machines:invoke']]);
    }
  });

  it('draws on the buckets of the person, together with their own tokens', async () => {
    const carol = await AccountDevice.signUp(service.http);
    const { token: pat } = await carol.createToken(['sessions:read']);
    const { access_token: token } = await app.tokens(service, carol);
    const left: number[] = [];
    for (const credential of [pat, token, pat, token]) {
      left.push(Number((await service.http.get(ME, credential)).headers.get('x-ratelimit-remaining')));
    }
    expect(left).toEqual([599, 598, 597, 596]);
  });

  it('is counted in the usage of the person, under the sign-in; the OAuth endpoints are not', async () => {
    const dora = await AccountDevice.signUp(service.http);
    const first = await app.tokens(service, dora, { scope: 'usage:read' });
    const second = ok(await app.refresh(first.refresh_token), 200);
    const { id } = ok(await service.http.get(ME, first.access_token), 200).data.token;
    await service.http.get(ME, second.access_token);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const path = '/external/v1/usage?groupBy=token,operation';
    const { data } = ok(await service.http.get(path, second.access_token), 200);
    expect(data).toEqual([expect.objectContaining({ tokenId: id, operation: 'getMe', requests: 2 })]);
  });

  it('is noted as used at most once a minute', async () => {
    const eve = await AccountDevice.signUp(service.http);
    const { access_token: token } = await app.tokens(service, eve);
    const used = async () => {
      const { data } = ok(await service.http.get('/v1/account/authorized-apps', eve.token), 200);
      return data[0].lastUsedAt;
    };
    expect(await used()).toBeNull();
    ok(await service.http.get(ME, token), 200);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const first = await used();
    expect(first).toEqual(expect.any(Number));
    service.advance(59_000);
    ok(await service.http.get(ME, token), 200);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await used()).toBe(first);
    service.advance(2_000);
    expect(ok(await service.http.get(ME, token), 200).data.token.lastUsedAt).toBe(first);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await used()).toBeGreaterThan(first);
  });
});
