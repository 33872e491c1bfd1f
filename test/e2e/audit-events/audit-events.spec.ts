import { AskingSession } from '../../support/content/asking-session';
import { ConsoleClient } from '../../support/console-client';
import { queryDatabase, waitForAccountCleanup } from '../../support/database';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { readConsentRequestId, ThirdPartyApp } from '../../support/oauth/third-party-app';
import { expectProblem } from '../../support/problems';
import { RelayFixture } from '../../support/relay-fixture';
import { LOOPBACK_WEBHOOKS_ENV } from '../../support/webhooks/webhook-fixture';

const PATH = '/v1/audit-events';
const AGENT = { 'User-Agent': 'a client of the test' };

describe('GET /v1/audit-events', () => {
  let fixture: RelayFixture;
  let ada: ForeignAccountDevice;
  /** Acts before the one that a test looks at. */
  let known: number;

  beforeAll(async () => {
    fixture = await RelayFixture.start(LOOPBACK_WEBHOOKS_ENV);
  });
  afterAll(() => fixture?.stop());
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(fixture.http);
    known = 1;
  });

  const list = async (query = '', by = ada) => expectStatus(await fixture.http.get(`${PATH}${query}`, by.token), 200);
  /** Returns the acts since the last call, oldest first. */
  const readNewActs = async (by = ada) => {
    const { data } = await list('?limit=100', by);
    const fresh = data.slice(0, data.length - known).reverse();
    known = data.length;
    return fresh;
  };
  const deviceActor = () => ({ kind: 'device', id: ada.id, name: ada.name });

  it('begins with the sign-up, with the client address and user agent', async () => {
    const { data, nextCursor } = await list();
    expect(nextCursor).toBeNull();
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        object: 'audit_event',
        act: 'account.created',
        actor: deviceActor(),
        target: { kind: 'account', id: ada.accountId, name: null, machineIds: null },
        reason: null,
        address: '127.0.0.1',
        userAgent: 'node',
        createdAt: expect.any(Number),
      },
    ]);
  });

  it('shows sign-ins, renames and revocations of devices', async () => {
    const laptop = await ada.pairDevice('account', 'laptop');
    const client = await ConsoleClient.signIn(fixture.service.url, laptop);
    await client.post('/console/sign-out', { csrf: await client.readCsrfToken() });
    const renamed = { token: ada.token, json: { name: 'old laptop' } };
    expectStatus(await fixture.http.request('PATCH', `/v1/devices/${laptop.id}`, renamed), 200);
    expectStatus(await fixture.http.delete(`/v1/devices/${laptop.id}`, ada.token), 204);
    expectStatus(await fixture.http.delete(`/v1/devices/${laptop.id}`, ada.token), 204);
    const target = { kind: 'device', id: laptop.id, name: 'old laptop' };
    expect(await readNewActs()).toMatchObject([
      { act: 'device.added', actor: deviceActor(), target },
      { act: 'device.signed_in', actor: { kind: 'device', id: laptop.id }, target },
      { act: 'device.signed_in', actor: { kind: 'browser', id: laptop.id, name: 'old laptop' }, target },
      { act: 'device.signed_out', actor: { kind: 'browser', id: laptop.id }, target, address: '127.0.0.1' },
      { act: 'device.renamed', actor: deviceActor(), target },
      { act: 'device.revoked', actor: deviceActor(), target },
    ]);
  });

  it('shows that all account devices were signed out', async () => {
    const client = await ConsoleClient.signIn(fixture.service.url, ada);
    await client.post('/console/devices/sign-out-everywhere', { csrf: await client.readCsrfToken() });
    await ada.signIn();
    const target = { kind: 'account', id: ada.accountId, name: null };
    expect(await readNewActs()).toMatchObject([
      { act: 'device.signed_in', actor: { kind: 'browser' } },
      { act: 'account.signed_out', actor: { ...deviceActor(), kind: 'browser' }, target, address: '127.0.0.1' },
      { act: 'device.signed_in', actor: { kind: 'device' } },
    ]);
  });

  it('has the first 200 characters of a longer user agent', async () => {
    const headers = { 'User-Agent': `${'a'.repeat(199)}bc` };
    const body = { name: 'ci', scopes: ['sessions:read'] };
    expectStatus(await fixture.http.post('/v1/account/external-tokens', ada.token, body, { headers }), 201);
    expect(await readNewActs()).toMatchObject([{ act: 'token.created', userAgent: `${'a'.repeat(199)}b` }]);
  });

  it('shows tokens with their names, and no secret', async () => {
    const body = { name: 'ci', scopes: ['sessions:read'] };
    const created = await fixture.http.post('/v1/account/external-tokens', ada.token, body, { headers: AGENT });
    const { data, token } = expectStatus(created, 201);
    const path = `/v1/account/external-tokens/${data.id}`;
    const rotated = expectStatus(await fixture.http.post(`${path}/rotate`, ada.token, {}), 200);
    expectStatus(await fixture.http.delete(path, ada.token), 204);
    expectStatus(await fixture.http.delete(path, ada.token), 204);
    const acts = await readNewActs();
    const target = { kind: 'token', id: data.id, name: 'ci', machineIds: null };
    expect(acts).toMatchObject([
      { act: 'token.created', actor: deviceActor(), target, userAgent: 'a client of the test' },
      { act: 'token.rotated', target },
      { act: 'token.revoked', target },
    ]);
    for (const secret of [token, rotated.token, ada.token]) expect(JSON.stringify(acts)).not.toContain(secret);
  });

  it('shows a consent in the browser, and the app or its developer as who ends it', async () => {
    const developer = await ForeignAccountDevice.signUp(fixture.http);
    const app = await ThirdPartyApp.register(developer);
    const client = await ConsoleClient.signIn(fixture.service.url, ada);
    const consent = async () => {
      const path = `/console/consent/${readConsentRequestId(await app.requestAuthorization())}`;
      const { html } = await client.get(path);
      const value = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(html)![1]!;
      const form = { ticket: value('ticket'), csrf: value('csrf'), decision: 'allow' };
      expect((await client.post(path, form)).status).toBe(303);
    };
    await consent();
    expectStatus(await fixture.http.delete(`/v1/account/authorized-apps/${app.clientId}`, ada.token), 204);
    await consent();
    const revokeAll = `/v1/developer/apps/${app.clientId}/revoke-all`;
    expectStatus(await fixture.http.post(revokeAll, developer.token, {}), 200);
    const target = { kind: 'app', id: app.clientId, name: 'Notes' };
    const browser = { kind: 'browser', id: ada.id };
    expect(await readNewActs()).toMatchObject([
      { act: 'device.signed_in' },
      { act: 'app.authorized', actor: browser, target },
      { act: 'app.authorization_revoked', actor: deviceActor(), target },
      { act: 'app.authorized', actor: browser, target },
      // The address of the developer is none of Ada's business.
      { act: 'app.authorization_revoked', actor: target, target, address: null, userAgent: null },
    ]);
    expect((await list('', developer)).data).toMatchObject([
      { act: 'app.authorizations_revoked', actor: { kind: 'device', id: developer.id }, target },
      { act: 'app.created', target },
      { act: 'account.created' },
    ]);
  });

  it('shows the life of an app and its secrets', async () => {
    const app = await ThirdPartyApp.register(ada);
    const path = `/v1/developer/apps/${app.clientId}`;
    const post = async (action: string) =>
      expectStatus(await fixture.http.post(`${path}/${action}`, ada.token, {}), 200);
    expectStatus(await fixture.http.request('PATCH', path, { token: ada.token, json: { name: 'Papers' } }), 200);
    await post('disable');
    await post('disable');
    await post('enable');
    await post('enable');
    const secret = expectStatus(await fixture.http.post(`${path}/secrets`, ada.token, {}), 201);
    expect(JSON.stringify(secret)).toContain('svc_ocs_');
    const { data } = expectStatus(await fixture.http.get(path, ada.token), 200);
    expectStatus(await fixture.http.delete(`${path}/secrets/${data.secrets[0].id}`, ada.token), 204);
    expectStatus(await fixture.http.delete(path, ada.token), 204);
    const acts = await readNewActs();
    expect(acts.map(({ act }: any) => act)).toEqual([
      'app.created',
      'app.updated',
      'app.disabled',
      'app.enabled',
      'app.secret_created',
      'app.secret_deleted',
      'app.deleted',
    ]);
    const target = { kind: 'app', id: app.clientId, name: null };
    for (const act of acts) expect(act).toMatchObject({ actor: deviceActor(), target });
  });

  it('shows key grants, and decisions with the token that decided', async () => {
    const owner = fixture.ada;
    const machine = await fixture.createMachine(['session.message', 'session.permission']);
    machine.socket.setHandler(({ params: { optionId } }) => ({ ok: true, result: { state: 'allowed', optionId } }));
    const { id: tokenId, token } = await owner.createToken(['sessions:read', 'sessions:approve', 'sessions:content']);
    const session = await AskingSession.createSession(fixture.service, owner, machine.device);
    known = (await list('?limit=100', owner)).data.length;
    const { data: grant } = expectStatus(await session.granted.grantToService(), 201);
    const { record } = await session.requestPermission('p1');
    const content = await fixture.http.get(session.getPath(record.id, '/content'), token);
    const { contentHash } = expectStatus(content, 200).data;
    const decide = () =>
      fixture.http.post(session.getPath(record.id, '/decision'), token, { contentHash, decision: 'allow' });
    expectStatus(await decide(), 200);
    expectProblem(await decide(), 409, 'permission_not_pending');
    expectStatus(await fixture.http.delete(`/v1/sessions/${session.id}/key-grants/${grant.id}`, owner.token), 204);
    const target = { kind: 'key_grant', id: grant.id, name: null };
    expect(await readNewActs(owner)).toMatchObject([
      { act: 'key_grant.created', target },
      {
        act: 'permission_request.allowed',
        actor: { kind: 'token', id: tokenId, name: 'a test token' },
        target: { kind: 'permission_request', id: record.id },
      },
      { act: 'key_grant.revoked', actor: { kind: 'device', id: owner.id }, target },
    ]);
  });

  it('shows webhooks and the app that created one', async () => {
    const developer = await ForeignAccountDevice.signUp(fixture.http);
    const app = await ThirdPartyApp.register(developer);
    const scope = 'webhooks:manage sessions:read';
    const { access_token: token } = await app.obtainTokens(fixture.service, ada, { scope });
    known += 1;
    const webhook = { url: 'http://127.0.0.1:9/', events: ['session.created'] };
    const { data } = expectStatus(await fixture.http.post('/external/v1/webhooks', token, webhook), 201);
    const path = `/v1/webhooks/${data.id}`;
    const description = { description: 'changed' };
    expectStatus(await fixture.http.request('PATCH', path, { token: ada.token, json: description }), 200);
    expectStatus(await fixture.http.post(`${path}/rotate-secret`, ada.token, {}), 200);
    expectStatus(await fixture.http.delete(`/external/v1/webhooks/${data.id}`, token), 204);
    const appActor = { kind: 'app', id: app.clientId, name: 'Notes' };
    expect(await readNewActs()).toMatchObject([
      { act: 'webhook.created', actor: appActor, target: { kind: 'webhook', id: data.id } },
      { act: 'webhook.updated', actor: deviceActor() },
      { act: 'webhook.secret_rotated', actor: deviceActor() },
      { act: 'webhook.deleted', actor: appActor },
    ]);
  });

  it('returns pages, and events of a period', async () => {
    for (let n = 0; n < 4; n++) await ada.signIn();
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: any = await list(`?limit=2${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
      seen.push(...page.data.map(({ id }: any) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    const { data } = await list('?limit=100');
    expect(data).toHaveLength(5);
    expect(seen).toEqual(data.map(({ id }: any) => id));
    const { createdAt } = data[2];
    const inPeriod = (at: number) => at >= createdAt && at < createdAt + 1;
    const period = await list(`?since=${createdAt}&until=${createdAt + 1}`);
    expect(period.data).toEqual(data.filter((event: any) => inPeriod(event.createdAt)));
    expect((await list(`?until=${data.at(-1).createdAt}`)).data).toEqual([]);
  });

  it('shows nothing to machines, tokens and other accounts', async () => {
    const machine = await ada.pairDevice('machine');
    expectProblem(await fixture.http.get(PATH, machine.token), 403, 'forbidden');
    const { token } = await ada.createToken(['profile:read']);
    expectProblem(await fixture.http.get(PATH, token), 401, 'invalid_token');
    const eve = await ForeignAccountDevice.signUp(fixture.http);
    expect((await list('', eve)).data).toHaveLength(1);
  });

  it('is exported, with the export itself, and deleted with the account', async () => {
    // HEAD exports nothing.
    expectStatus(await fixture.http.request('HEAD', '/v1/account/export', { token: ada.token }), 200);
    const { data } = expectStatus(await fixture.http.get('/v1/account/export', ada.token), 200);
    expect(data.auditEvents.map(({ act }: any) => act)).toEqual(['account.created', 'account.exported']);
    expectStatus(await fixture.http.delete('/v1/account', ada.token), 204);
    await waitForAccountCleanup(fixture.service);
    const rows = await queryDatabase(fixture.service, 'SELECT 1 FROM audit_events WHERE account_id = $1', [
      ada.accountId,
    ]);
    expect(rows).toEqual([]);
  });

  it('records no act that was rolled back', async () => {
    const { id } = await ada.createToken(['profile:read']);
    const trigger = `CREATE FUNCTION refuse_audit() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.act = 'token.revoked' THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$`;
    await queryDatabase(fixture.service, trigger);
    await queryDatabase(
      fixture.service,
      'CREATE TRIGGER refuse BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION refuse_audit()',
    );
    try {
      const httpResponse = await fetch(`${fixture.service.url}/v1/account/external-tokens/${id}`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${ada.token}` },
      });
      expect(httpResponse.status).toBe(500);
    } finally {
      await queryDatabase(fixture.service, 'DROP TRIGGER refuse ON audit_events');
      await queryDatabase(fixture.service, 'DROP FUNCTION refuse_audit');
    }
    const { data } = expectStatus(await fixture.http.get(`/v1/account/external-tokens/${id}`, ada.token), 200);
    expect(data.state).toBe('active');
    expect((await readNewActs()).map(({ act }: any) => act)).toEqual(['token.created']);
  });
});
