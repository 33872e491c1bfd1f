import { runAdminProgram, runAdminJson } from '../../support/admin-cli';
import { createBackend, type Backend } from '../../support/backend';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { EventStreamClient } from '../../support/event-stream-client';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { describeWithServices } from '../../support/postgres';
import { Service } from '../../support/service';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';

const WITHIN_MS = 3_000;
const USERS = 620;

describeWithServices('the admin commands for an app', () => {
  let backend: Backend;
  let service: Service;
  let other: ServiceProcess;
  let app: ThirdPartyApp;
  let bob: ForeignAccountDevice;

  beforeAll(async () => {
    backend = await createBackend('services');
    service = await Service.start({ RATE_LIMIT_METADATA: '1000000' }, backend);
    other = await ServiceProcess.start({ RATE_LIMIT_METADATA: '1000000', ...backend.env });
    app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    bob = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(async () => {
    await other?.stop('SIGKILL');
    await service?.stop();
  });

  const run = (...args: string[]) => runAdminJson(backend.env, ...args);

  /** Adds authorizations of accounts without devices, which only the batches notice. */
  const addUsers = () =>
    queryDatabase(
      service,
      `WITH added AS (
         INSERT INTO accounts (id, username, content_public_key, content_key_version, created_at)
         SELECT 'acc_' || lpad(n::text, 26, '0'), 'user-of-app-' || n, '{}', 1, now() FROM generate_series(1, $1) n
         RETURNING id)
       INSERT INTO app_authorizations (id, account_id, app_id, scopes, created_at)
       SELECT 'aut' || substr(id, 4), id, $2, '{sessions:read}', now() FROM added`,
      [USERS, app.clientId],
    );

  it('stops an app for all accounts on running instances, and lets it start again', async () => {
    const tokens = await app.obtainTokens(service, bob);
    await addUsers();
    const stream = await EventStreamClient.open(`${other.http.url}/external/v1/events`, tokens.access_token);
    expect(await run('app', app.clientId)).toMatchObject({
      clientId: app.clientId,
      name: 'Notes',
      state: 'active',
      activeUsers: USERS + 1,
      username: app.owner.username,
    });
    const { code, stdout, stderr } = await runAdminProgram(backend.env, 'suspend-app', app.clientId, '--reason=spam');
    expect([code, stderr.includes('500 authorizations revoked so far')]).toEqual([0, true]);
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'suspended',
      activeUsers: 0,
      revokedAuthorizations: USERS + 1,
    });
    await waitFor(() => expect(stream.hasEnded).toBe(true), WITHIN_MS);
    expect((await other.http.get('/external/v1/me', tokens.access_token)).status).toBe(401);
    expect((await app.refreshTokens(tokens.refresh_token)).status).toBe(401);
    expect((await app.requestAuthorization()).status).toBe(400);
    const reason = { actor: { kind: 'operator' }, reason: 'spam' };
    const acts = async (device: ForeignAccountDevice) =>
      expectStatus(await service.http.get('/v1/audit-events?limit=1', device.token), 200).data;
    expect(await acts(bob)).toMatchObject([{ act: 'app.authorization_revoked', ...reason }]);
    expect(await acts(app.owner)).toMatchObject([{ act: 'app.suspended', ...reason }]);
    const enabled = await service.http.post(`/v1/developer/apps/${app.clientId}/enable`, app.owner.token, {});
    expect(expectStatus(enabled, 200).data.state).toBe('suspended');
    expect((await app.requestAuthorization()).status).toBe(400);
    expect(await run('suspend-app', app.clientId)).toMatchObject({ state: 'suspended', revokedAuthorizations: 0 });
    expect(await run('resume-app', app.clientId)).toMatchObject({ state: 'active', activeUsers: 0 });
    expect(await acts(app.owner)).toMatchObject([{ act: 'app.resumed' }]);
    expect((await other.http.get('/external/v1/me', tokens.access_token)).status).toBe(401);
    const later = await app.obtainTokens(service, bob);
    await waitFor(async () => expect((await other.http.get('/external/v1/me', later.access_token)).status).toBe(200));
  });

  it('refuses the authorization that was being granted when the app was suspended', async () => {
    const code = await app.obtainCode(service, bob);
    await run('suspend-app', app.clientId);
    expect((await app.exchangeCode(code)).status).toBe(401);
    await run('resume-app', app.clientId);
    expect((await app.exchangeCode(code)).status).toBe(400);
  });

  it.each(['app', 'suspend-app', 'resume-app'])('ends %s of an unknown app with status 1', async (command) => {
    const { code, stdout, stderr } = await runAdminProgram(backend.env, command, 'svc_oapp_unknown');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('error: No app has the client id "svc_oapp_unknown".');
  });
});
