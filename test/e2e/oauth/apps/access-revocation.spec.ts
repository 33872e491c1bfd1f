import { queryDatabase } from '../../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import { ThirdPartyApp } from '../../../support/oauth/third-party-app';
import { expectProblem } from '../../../support/problems';
import { Service } from '../../../support/service';

describe('the authorization of an app', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;
  let other: ThirdPartyApp;
  let tokens: any;
  let bystander: any;
  const at = (verb = '') => `/v1/developer/apps/${app.clientId}${verb}`;
  const act = (verb: string) => service.http.post(at(verb), ada.token, {});
  const me = async ({ access_token: token }: any) => {
    const { status, body } = await service.http.get('/external/v1/me', token);
    return [status, body.reason];
  };
  const LIVE = [200, undefined];
  const count = async (table: string, condition: string) => {
    const [row] = await queryDatabase<{ count: string }>(service, `SELECT count(*) FROM ${table} WHERE ${condition}`);
    return Number(row!.count);
  };
  const authorized = async (person: ForeignAccountDevice) =>
    expectStatus(await service.http.get('/v1/account/authorized-apps', person.token), 200).data;
  const refreshError = async () => (await app.refreshTokens(tokens.refresh_token)).body.error;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    bob = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada, undefined, { homepageUrl: 'https://notes.example' });
    other = await ThirdPartyApp.register(ada);
    tokens = await app.obtainTokens(service, bob);
    bystander = await other.obtainTokens(service, bob);
    expect(await me(tokens)).toEqual(LIVE);
  });
  afterEach(async () => {
    expect(await me(bystander)).toEqual(LIVE);
  });

  describe('by the person', () => {
    const revoke = (person = bob) => service.http.delete(`/v1/account/authorized-apps/${app.clientId}`, person.token);

    it('is listed with its app, scopes, creation and last use', async () => {
      const [second, first] = await authorized(bob);
      expect(first).toEqual({
        clientId: app.clientId,
        object: 'authorized_app',
        name: 'Notes',
        homepageUrl: 'https://notes.example',
        ownerUsername: ada.username,
        scopes: ['sessions:read', 'profile:read'],
        createdAt: expect.any(Number),
        lastUsedAt: expect.any(Number),
      });
      expect(second).toMatchObject({ clientId: other.clientId, lastUsedAt: null });
      expect(await authorized(ada)).toEqual([]);
      const { data } = expectStatus(await service.http.get('/v1/account/export', bob.token), 200);
      expect(data.authorizedApps).toEqual([first, second]);
    });

    it('accumulates the allowed scopes', async () => {
      const since = (await authorized(bob))[1].createdAt;
      service.advanceClock(1_000);
      await app.obtainTokens(service, bob, { scope: 'usage:read profile:read' });
      const [, active] = await authorized(bob);
      expect(active).toMatchObject({
        clientId: app.clientId,
        scopes: ['sessions:read', 'profile:read', 'usage:read'],
        createdAt: since,
      });
    });

    it('is revoked at once and permanently, with tokens and codes', async () => {
      const code = await app.obtainCode(service, bob);
      expect((await revoke()).status).toBe(204);
      expect(await me(tokens)).toEqual([401, 'revoked']);
      expect(await refreshError()).toBe('invalid_grant');
      expect((await app.exchangeCode(code)).body.error).toBe('invalid_grant');
      expect(expectStatus(await app.postToEndpoint('introspect', { token: tokens.access_token }), 200)).toEqual({
        active: false,
      });
      expect((await authorized(bob)).map((one: any) => one.clientId)).toEqual([other.clientId]);
      const again = await app.obtainTokens(service, bob);
      expect(await me(again)).toEqual(LIVE);
      expect(await me(tokens)).toEqual([401, 'revoked']);
      expect(await refreshError()).toBe('invalid_grant');
    });

    it('is 404 for an app that is not authorized', async () => {
      expectProblem(await revoke(ada), 404, 'not_found');
      expect((await revoke()).status).toBe(204);
      expectProblem(await revoke(), 404, 'not_found');
      for (const id of ['x', '%00', `svc_oapp_${'A'.repeat(36)}`]) {
        expectProblem(await service.http.delete(`/v1/account/authorized-apps/${id}`, bob.token), 404, 'not_found');
      }
    });

    it('is not accessible to machines', async () => {
      const machine = await bob.pairDevice('machine');
      expectProblem(await service.http.get('/v1/account/authorized-apps', machine.token), 403, 'forbidden');
      const path = `/v1/account/authorized-apps/${app.clientId}`;
      expectProblem(await service.http.delete(path, machine.token), 403, 'forbidden');
      expect(await me(tokens)).toEqual(LIVE);
    });

    it('is revoked together with the app’s key grants', async () => {
      const session = await bob.createSession(bob);
      await queryDatabase(
        service,
        `INSERT INTO key_grants
           (id, account_id, session_id, recipient_key_id, recipient_thumbprint, sealed_key, app_id, created_at)
         SELECT 'grt_' || n, $1, $2, 'k', 't' || n, 's', a, now()
           FROM unnest(ARRAY[$3, $4, NULL]) WITH ORDINALITY x (a, n)`,
        [bob.accountId, session.id, app.clientId, other.clientId],
      );
      expect((await revoke()).status).toBe(204);
      const left = await queryDatabase<{ app_id: string }>(service, 'SELECT app_id FROM key_grants ORDER BY app_id');
      expect(left.map((row) => row.app_id)).toEqual([other.clientId, null]);
      await queryDatabase(service, 'DELETE FROM key_grants');
    });
  });

  describe('by its owner', () => {
    it('is suspended while the app is disabled', async () => {
      expect(expectStatus(await service.http.get(at(), ada.token), 200).data.activeUsers).toBe(1);
      expectStatus(await act('/disable'), 200);
      expect(await me(tokens)).toEqual([401, 'revoked']);
      expect(await refreshError()).toBe('invalid_client');
      expect((await app.requestAuthorization()).status).toBe(400);
      expectStatus(await act('/enable'), 200);
      expect(await me(tokens)).toEqual(LIVE);
      expectStatus(await app.refreshTokens(tokens.refresh_token), 200);
    });

    it('is revoked for all people by revoke-all', async () => {
      const carol = await ForeignAccountDevice.signUp(service.http);
      const hers = await app.obtainTokens(service, carol);
      const code = await app.obtainCode(service, carol);
      expect(expectStatus(await service.http.get(at(), ada.token), 200).data.activeUsers).toBe(2);
      expect(expectStatus(await act('/revoke-all'), 200).data).toMatchObject({
        activeUsers: 0,
        state: 'active',
      });
      for (const one of [tokens, hers]) expect(await me(one)).toEqual([401, 'revoked']);
      expect(await refreshError()).toBe('invalid_grant');
      expect((await app.exchangeCode(code)).body.error).toBe('invalid_grant');
      expect(await authorized(carol)).toEqual([]);
      expect(await me(await app.obtainTokens(service, carol))).toEqual(LIVE);
    });

    it('is deleted with the app, without usable remains', async () => {
      const code = await app.obtainCode(service, bob);
      expect((await service.http.delete(at(), ada.token)).status).toBe(204);
      expect(await me(tokens)).toEqual([401, 'revoked']);
      expect(await refreshError()).toBe('invalid_client');
      expect((await app.exchangeCode(code)).body.error).toBe('invalid_client');
      const ofApp = `app_id = '${app.clientId}'`;
      for (const table of ['app_authorizations', 'developer_app_secrets']) expect(await count(table, ofApp)).toBe(0);
      expect(
        await count('oauth_codes', `NOT EXISTS (SELECT FROM app_authorizations z WHERE z.id = authorization_id)`),
      ).toBe(0);
      expect((await authorized(bob)).map((one: any) => one.clientId)).toEqual([other.clientId]);
    });
  });

  it('is deleted with the account of the person', async () => {
    const carol = await ForeignAccountDevice.signUp(service.http);
    const hers = await app.obtainTokens(service, carol);
    expect(await me(hers)).toEqual(LIVE);
    expect((await service.http.delete('/v1/account', carol.token)).status).toBe(204);
    expect((await me(hers))[0]).toBe(401);
    expect((await app.refreshTokens(hers.refresh_token)).body.error).toBe('invalid_grant');
    expect(expectStatus(await service.http.get(at(), ada.token), 200).data.activeUsers).toBe(1);
  });

  it('is deleted with the account of the app’s owner', async () => {
    const dora = await ForeignAccountDevice.signUp(service.http);
    const hers = await ThirdPartyApp.register(dora);
    const granted = await hers.obtainTokens(service, bob);
    expect((await service.http.delete('/v1/account', dora.token)).status).toBe(204);
    service.advanceClock(1_000);
    expect((await me(granted))[0]).toBe(401);
    expect((await hers.refreshTokens(granted.refresh_token)).body.error).toBe('invalid_client');
  });
});
