import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { postForm, ThirdPartyApp } from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

const ME_PATH = '/external/v1/me';

describe("an app's access token (RFC 6750)", () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    bob = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada);
  });
  afterAll(() => service?.stop());

  it('acts for the person with the allowed scopes', async () => {
    const session = await bob.createSession(bob);
    const { access_token: token } = await app.obtainTokens(service, bob, { scope: 'sessions:read' });
    const { data } = expectStatus(await service.http.get('/external/v1/sessions', token), 200);
    expect(data.map((one: any) => one.id)).toEqual([session.id]);
    const refused = await service.http.get('/external/v1/usage', token);
    expect([refused.status, refused.body.required]).toEqual([403, ['usage:read']]);
    expect(refused.headers.get('www-authenticate')).toMatch(/error="insufficient_scope", scope="usage:read"/);
  });

  it('shows app and account in /me, and the account’s creation with profile:read', async () => {
    const plain = (await app.obtainTokens(service, bob, { scope: 'usage:read' })).access_token;
    const { data } = expectStatus(await service.http.get(ME_PATH, plain), 200);
    expect(data.account).toEqual({ id: bob.accountId, username: bob.username, createdAt: null });
    expect(data.token).toMatchObject({ type: 'oauth', appId: app.clientId, name: 'Notes' });
    const profile = (await app.obtainTokens(service, bob, { scope: 'profile:read' })).access_token;
    expect(expectStatus(await service.http.get(ME_PATH, profile), 200).data.account.createdAt).toEqual(
      expect.any(Number),
    );
  });

  it('is accepted only in the header (§2.1 to §2.3, RFC 9700 §4.3.2)', async () => {
    const { access_token: token } = await app.obtainTokens(service, bob);
    const inQuery = await service.http.get(`${ME_PATH}?access_token=${token}`);
    expect([inQuery.status, inQuery.body.code]).toEqual([401, 'missing_token']);
    const inBody = await postForm(service.http, '/external/v1/machines/x/invoke', `access_token=${token}`);
    expect([inBody.status, inBody.body.code]).toEqual([401, 'missing_token']);
  });

  it('expires after an hour (§3.1)', async () => {
    const { access_token: token } = await app.obtainTokens(service, bob);
    service.advanceClock(3_599_000);
    expectStatus(await service.http.get(ME_PATH, token), 200);
    service.advanceClock(1_000);
    const httpResponse = await service.http.get(ME_PATH, token);
    expect([httpResponse.status, httpResponse.body.code, httpResponse.body.reason]).toEqual([
      401,
      'invalid_token',
      'expired',
    ]);
    expect(httpResponse.headers.get('www-authenticate')).toMatch(/^Bearer realm="external-api", error="invalid_token"/);
    await bob.signIn();
    await ada.signIn();
  });

  it.each([
    ['a refresh token', (tokens: any) => tokens.refresh_token],
    ['a client id', () => app.clientId],
    ['a client secret', () => app.clientSecret],
  ])('is not %s: of the wrong kind is unknown', async (_, choose) => {
    const httpResponse = await service.http.get(ME_PATH, choose(await app.obtainTokens(service, bob)));
    expect([httpResponse.status, httpResponse.body.reason]).toEqual([401, 'unknown']);
  });

  it('is not accepted in the device API', async () => {
    const { access_token: token } = await app.obtainTokens(service, bob);
    for (const path of ['/v1/account', '/v1/account/authorized-apps', '/v1/developer/apps', '/v1/devices']) {
      const httpResponse = await service.http.get(path, token);
      expect([httpResponse.status, httpResponse.body.reason]).toEqual([401, 'unknown']);
    }
  });

  it('runs no command, even with the scope', async () => {
    const scope = 'sessions:read machines:read';
    const tokens = await app.obtainTokens(service, bob, { scope });
    for (const table of ['oauth_access_tokens', 'oauth_token_families', 'app_authorizations']) {
      await queryDatabase(
        service,
        `UPDATE ${table} SET scopes = scopes || '{machines:invoke,machines:invoke:verified}'`,
      );
    }
    const fresh = expectStatus(await app.refreshTokens(tokens.refresh_token), 200);
    for (const token of [tokens.access_token, fresh.access_token]) {
      expect(expectStatus(await service.http.get(ME_PATH, token), 200).data.token.scopes).toEqual(scope.split(' '));
      const httpResponse = await service.http.post('/external/v1/machines/mch_x/invoke', token, {
        command: 'id',
      });
      expect([httpResponse.status, httpResponse.body.required]).toEqual([403, ['machines:invoke']]);
    }
  });

  it('consumes from the person’s buckets, like their own tokens', async () => {
    const carol = await ForeignAccountDevice.signUp(service.http);
    const { token: pat } = await carol.createToken(['sessions:read']);
    const { access_token: token } = await app.obtainTokens(service, carol);
    const left: number[] = [];
    for (const credential of [pat, token, pat, token]) {
      left.push(Number((await service.http.get(ME_PATH, credential)).headers.get('x-ratelimit-remaining')));
    }
    expect(left).toEqual([599, 598, 597, 596]);
  });

  it('is counted in the person’s usage under the sign-in, unlike the OAuth endpoints', async () => {
    const dora = await ForeignAccountDevice.signUp(service.http);
    const first = await app.obtainTokens(service, dora, { scope: 'usage:read' });
    const second = expectStatus(await app.refreshTokens(first.refresh_token), 200);
    const { id } = expectStatus(await service.http.get(ME_PATH, first.access_token), 200).data.token;
    await service.http.get(ME_PATH, second.access_token);
    const path = '/external/v1/usage?groupBy=token,operation';
    await waitFor(async () => {
      const { data } = expectStatus(await service.http.get(path, second.access_token), 200);
      expect(new Set(data.map(({ tokenId }: any) => tokenId))).toEqual(new Set([id]));
      // Two rows, if a day has ended between the calls.
      const rows = data.filter(({ operation }: any) => operation !== 'getUsage');
      expect(rows.every(({ operation }: any) => operation === 'getMe')).toBe(true);
      expect(rows.reduce((sum: number, { requests }: any) => sum + requests, 0)).toBe(2);
    });
  });

  it('records its last use at most once a minute', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    const { access_token: token } = await app.obtainTokens(service, eve);
    const used = async () => {
      const { data } = expectStatus(await service.http.get('/v1/account/authorized-apps', eve.token), 200);
      return data[0].lastUsedAt;
    };
    expect(await used()).toBeNull();
    expectStatus(await service.http.get(ME_PATH, token), 200);
    const first = await waitFor(async () => {
      const usedAt = await used();
      expect(usedAt).toEqual(expect.any(Number));
      return usedAt;
    });
    service.advanceClock(40_000);
    expectStatus(await service.http.get(ME_PATH, token), 200);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await used()).toBe(first);
    service.advanceClock(21_000);
    expect(expectStatus(await service.http.get(ME_PATH, token), 200).data.token.lastUsedAt).toBe(first);
    await waitFor(async () => expect(await used()).toBeGreaterThan(first));
  });
});
