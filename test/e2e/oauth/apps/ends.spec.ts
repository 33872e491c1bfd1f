import { query } from '../../../support/database';
import { AccountDevice, ok } from '../../../support/device/foreign-device';
import { ThirdParty } from '../../../support/oauth/third-party';
import { problem } from '../../../support/problems';
import { Service } from '../../../support/service';

describe('the end of what an app may do', () => {
  let service: Service;
  let ada: AccountDevice;
  let bob: AccountDevice;
  let app: ThirdParty;
  let other: ThirdParty;
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
    const [row] = await query<{ count: string }>(service, `SELECT count(*) FROM ${table} WHERE ${condition}`);
    return Number(row!.count);
  };
  const authorized = async (person: AccountDevice) =>
    ok(await service.http.get('/v1/account/authorized-apps', person.token), 200).data;
  const refreshError = async () => (await app.refresh(tokens.refresh_token)).body.error;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
    bob = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(ada, undefined, { homepageUrl: 'https://notes.example' });
    other = await ThirdParty.register(ada);
    tokens = await app.tokens(service, bob);
    bystander = await other.tokens(service, bob);
    expect(await me(tokens)).toEqual(LIVE);
  });
  afterEach(async () => {
    expect(await me(bystander)).toEqual(LIVE);
  });

  describe('by the person', () => {
    const revoke = (person = bob) => service.http.delete(`/v1/account/authorized-apps/${app.clientId}`, person.token);

    it('is theirs to see: which apps, for what, since when, last used', async () => {
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
    });

    it('adds up what was agreed to', async () => {
      const since = (await authorized(bob))[1].createdAt;
      service.advance(1_000);
      await app.tokens(service, bob, { scope: 'usage:read profile:read' });
      const [, standing] = await authorized(bob);
      expect(standing).toMatchObject({
        clientId: app.clientId,
        scopes: ['sessions:read', 'profile:read', 'usage:read'],
        createdAt: since,
      });
    });

    it('comes at once, with tokens and codes, and for good', async () => {
      const code = await app.code(service, bob);
      expect((await revoke()).status).toBe(204);
      expect(await me(tokens)).toEqual([401, 'revoked']);
      expect(await refreshError()).toBe('invalid_grant');
      expect((await app.exchange(code)).body.error).toBe('invalid_grant');
      expect(ok(await app.post('introspect', { token: tokens.access_token }), 200)).toEqual({
        active: false,
      });
      expect((await authorized(bob)).map((one: any) => one.clientId)).toEqual([other.clientId]);
      const again = await app.tokens(service, bob);
      expect(await me(again)).toEqual(LIVE);
      expect(await me(tokens)).toEqual([401, 'revoked']);
      expect(await refreshError()).toBe('invalid_grant');
    });

    it('is 404 for an app that is not authorized', async () => {
      problem(await revoke(ada), 404, 'not_found');
      expect((await revoke()).status).toBe(204);
      problem(await revoke(), 404, 'not_found');
      for (const id of ['x', '%00', `svc_oapp_${'A'.repeat(36)}`]) {
        problem(await service.http.delete(`/v1/account/authorized-apps/${id}`, bob.token), 404, 'not_found');
      }
    });

    it('is no business of a machine', async () => {
      const machine = await bob.adopt('machine');
      problem(await service.http.get('/v1/account/authorized-apps', machine.token), 403, 'forbidden');
      const path = `/v1/account/authorized-apps/${app.clientId}`;
      problem(await service.http.delete(path, machine.token), 403, 'forbidden');
      expect(await me(tokens)).toEqual(LIVE);
    });

    it('takes the key grants of the app along', async () => {
      const session = await bob.openSession(bob);
      await query(
        service,
        `INSERT INTO key_grants (id, account_id, session_id, recipient_key_id, recipient_thumbprint, sealed_key, app_id, created_at)
         SELECT 'grt_' || n, $1, $2, 'k', 't' || n, 's', a, now()
           FROM unnest(ARRAY[$3, $4, NULL]) WITH ORDINALITY x (a, n)`,
        [bob.accountId, session.id, app.clientId, other.clientId],
      );
      expect((await revoke()).status).toBe(204);
      const left = await query<{ app_id: string }>(service, 'SELECT app_id FROM key_grants ORDER BY app_id');
      expect(left.map((row) => row.app_id)).toEqual([other.clientId, null]);
      await query(service, 'DELETE FROM key_grants');
    });
  });

  describe('by its owner', () => {
    it('is a pause when it is disabled', async () => {
      expect(ok(await service.http.get(at(), ada.token), 200).data.activeUsers).toBe(1);
      ok(await act('/disable'), 200);
      expect(await me(tokens)).toEqual([401, 'revoked']);
      expect(await refreshError()).toBe('invalid_client');
      expect((await app.authorize()).status).toBe(400);
      ok(await act('/enable'), 200);
      expect(await me(tokens)).toEqual(LIVE);
      ok(await app.refresh(tokens.refresh_token), 200);
    });

    it('comes for everybody with revoke-all', async () => {
      const carol = await AccountDevice.signUp(service.http);
      const hers = await app.tokens(service, carol);
      const code = await app.code(service, carol);
      expect(ok(await service.http.get(at(), ada.token), 200).data.activeUsers).toBe(2);
      expect(ok(await act('/revoke-all'), 200).data).toMatchObject({ activeUsers: 0, state: 'active' });
      for (const one of [tokens, hers]) expect(await me(one)).toEqual([401, 'revoked']);
      expect(await refreshError()).toBe('invalid_grant');
      expect((await app.exchange(code)).body.error).toBe('invalid_grant');
      expect(await authorized(carol)).toEqual([]);
      expect(await me(await app.tokens(service, carol))).toEqual(LIVE);
    });

    it('comes with the app, and nothing of it is left that could be used', async () => {
      const code = await app.code(service, bob);
      expect((await service.http.delete(at(), ada.token)).status).toBe(204);
      expect(await me(tokens)).toEqual([401, 'revoked']);
      expect(await refreshError()).toBe('invalid_client');
      expect((await app.exchange(code)).body.error).toBe('invalid_client');
      const ofApp = `app_id = '${app.clientId}'`;
      for (const table of ['app_authorizations', 'developer_app_secrets']) expect(await count(table, ofApp)).toBe(0);
      expect(
        await count('oauth_codes', `NOT EXISTS (SELECT FROM app_authorizations z WHERE z.id = authorization_id)`),
      ).toBe(0);
      expect((await authorized(bob)).map((one: any) => one.clientId)).toEqual([other.clientId]);
    });
  });

  it('comes with the account of the person', async () => {
    const carol = await AccountDevice.signUp(service.http);
    const hers = await app.tokens(service, carol);
    expect(await me(hers)).toEqual(LIVE);
    expect((await service.http.delete('/v1/account', carol.token)).status).toBe(204);
    expect((await me(hers))[0]).toBe(401);
    expect((await app.refresh(hers.refresh_token)).body.error).toBe('invalid_grant');
    expect(ok(await service.http.get(at(), ada.token), 200).data.activeUsers).toBe(1);
  });

  it('comes with the account of its owner', async () => {
    const dora = await AccountDevice.signUp(service.http);
    const hers = await ThirdParty.register(dora);
    const granted = await hers.tokens(service, bob);
    expect((await service.http.delete('/v1/account', dora.token)).status).toBe(204);
    service.advance(1_000);
    expect((await me(granted))[0]).toBe(401);
    expect((await hers.refresh(granted.refresh_token)).body.error).toBe('invalid_client');
  });
});
