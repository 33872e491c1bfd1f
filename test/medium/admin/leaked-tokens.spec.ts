import { runAdminProgram, runAdminWithInput } from '../../support/admin-cli';
import { createBackend, type Backend } from '../../support/backend';
import { queryDatabase } from '../../support/database';
import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { EventStreamClient } from '../../support/event-stream-client';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { describeWithServices } from '../../support/postgres';
import { Service } from '../../support/service';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';

const WITHIN_MS = 3_000;
const UNKNOWN_TOKEN = 'svc_pat_0123456789ABCDEFGHIJKLMNOPQRST';

describeWithServices('the admin commands for a leaked token', () => {
  let backend: Backend;
  let service: Service;
  let other: ServiceProcess;
  let ada: ForeignAccountDevice;

  beforeAll(async () => {
    backend = await createBackend('services');
    service = await Service.start({ RATE_LIMIT_METADATA: '1000000' }, backend);
    other = await ServiceProcess.start({ RATE_LIMIT_METADATA: '1000000', ...backend.env });
  });
  afterAll(async () => {
    await other?.stop('SIGKILL');
    await service?.stop();
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
  });

  const run = async (token: string, ...args: string[]) => {
    const { code, stdout, stderr } = await runAdminWithInput(backend.env, `${token}\n`, ...args);
    expect(stdout + stderr).not.toContain(token.slice(8));
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const listActs = async () =>
    expectStatus(await service.http.get('/v1/audit-events', ada.token), 200).data as { act: string }[];

  it('finds the owner of a personal access token and ends its streams on running instances', async () => {
    const { id, token } = await ada.createToken(['sessions:read'], { name: 'ci' });
    const { token: watcher } = await ada.createToken(['sessions:read']);
    expectStatus(await other.http.get('/external/v1/me', token), 200);
    const stream = await EventStreamClient.open(`${other.http.url}/external/v1/events`, token);
    const owner = { accountId: ada.accountId, username: ada.username };
    const found = { kind: 'personal_access_token', id, name: 'ci', appId: null, scopes: ['sessions:read'], ...owner };
    expect(await run(token, 'token')).toEqual({
      ...found,
      state: 'active',
      createdAt: expect.any(Number),
      expiresAt: null,
      lastUsedAt: expect.any(Number),
      lastUsedAddress: '127.0.0.1',
    });
    expect(stream.hasEnded).toBe(false);
    expect(await run(token, 'revoke-token', '--reason=found in a log')).toMatchObject({ ...found, state: 'revoked' });
    await waitFor(() => expect(stream.hasEnded).toBe(true), WITHIN_MS);
    for (const { http } of [service, other]) expect((await http.get('/external/v1/me', token)).status).toBe(401);
    expect((await other.http.get('/external/v1/me', watcher)).status).toBe(200);
    const [latest, ...earlier] = await listActs();
    expect(latest).toMatchObject({
      act: 'token.revoked',
      actor: { kind: 'operator', id: null },
      target: { kind: 'token', id, name: 'ci' },
      reason: 'found in a log',
      address: null,
    });
    expect(await run(token, 'revoke-token')).toMatchObject({ state: 'revoked' });
    expect((await listActs()).slice(1)).toEqual(earlier);
  });

  it('leaves a token alone whose leaked secret was rotated before', async () => {
    const { id, token: leaked } = await ada.createToken(['sessions:read']);
    const path = `/v1/account/external-tokens/${id}/rotate`;
    const { token } = expectStatus(await service.http.post(path, ada.token, {}), 200);
    expect(await run(leaked, 'token')).toMatchObject({ id, state: 'revoked' });
    expect(await run(leaked, 'revoke-token')).toMatchObject({ id, state: 'revoked' });
    expect(await run(token, 'token')).toMatchObject({ id, state: 'active' });
    expectStatus(await other.http.get('/external/v1/me', token), 200);
  });

  it('revokes what a secret of an app gives access to', async () => {
    const app = await ThirdPartyApp.register(ada);
    const bob = await ForeignAccountDevice.signUp(service.http);
    const tokens = await app.obtainTokens(service, bob);
    const owner = { accountId: bob.accountId, username: bob.username, appId: app.clientId, name: 'Notes' };
    const access = { kind: 'oauth_access_token', ...owner, scopes: ['sessions:read', 'profile:read'] };
    expect(await run(tokens.access_token, 'token')).toMatchObject({ ...access, state: 'active' });
    expect(await run(tokens.access_token, 'revoke-token')).toMatchObject({ ...access, state: 'revoked' });
    const refresh = { ...access, kind: 'oauth_refresh_token' };
    const renewed = expectStatus(await app.refreshTokens(tokens.refresh_token), 200);
    expectStatus(await other.http.get('/external/v1/me', renewed.access_token), 200);
    expect(await run(tokens.refresh_token, 'revoke-token')).toMatchObject({ ...refresh, state: 'revoked' });
    await waitFor(async () => expect((await other.http.get('/external/v1/me', renewed.access_token)).status).toBe(401));
    expect((await app.refreshTokens(renewed.refresh_token)).status).toBe(400);
    const secret = { kind: 'client_secret', accountId: ada.accountId, appId: app.clientId, scopes: null };
    expect(await run(app.clientSecret, 'revoke-token')).toMatchObject({ ...secret, state: 'revoked' });
    expect((await app.postToEndpoint('introspect', { token: renewed.access_token })).status).toBe(401);
    await expect(run(app.clientSecret, 'token')).rejects.toThrow('unknown to the service');
  });

  it('revokes an access token of a disabled app, which would work again once the app is enabled', async () => {
    const app = await ThirdPartyApp.register(ada);
    const { access_token: leaked } = await app.obtainTokens(service, ada);
    const changeState = async (action: 'disable' | 'enable') =>
      expectStatus(await service.http.post(`/v1/developer/apps/${app.clientId}/${action}`, ada.token, undefined), 200);
    await changeState('disable');
    expect(await run(leaked, 'token')).toMatchObject({ kind: 'oauth_access_token', state: 'active' });
    expect(await run(leaked, 'revoke-token')).toMatchObject({ kind: 'oauth_access_token', state: 'revoked' });
    await changeState('enable');
    expect((await other.http.get('/external/v1/me', leaked)).status).toBe(401);
  });

  it('signs a device out, which closes its socket', async () => {
    const machine = await ada.pairDevice('machine', 'build box');
    const socket = await DeviceSocket.connect(other.http.url, machine.token, []);
    const found = { kind: 'device_token', id: machine.id, name: 'build box', accountId: ada.accountId, scopes: null };
    expect(await run(machine.token, 'token')).toMatchObject({ ...found, state: 'active' });
    expect(await run(machine.token, 'revoke-token')).toMatchObject({ ...found, state: 'revoked' });
    await socket.disconnected;
    expect((await other.http.get('/v1/devices', machine.token)).status).toBe(401);
    expect((await listActs())[0]).toMatchObject({ act: 'device.signed_out', actor: { kind: 'operator' } });
    await machine.signIn();
  });

  it('changes nothing with a login that has expired, whose browser has signed in again', async () => {
    const browser = await ada.pairDevice('account');
    const { token: expired } = browser;
    await queryDatabase(service, 'UPDATE device_tokens SET expires_at = now() WHERE device_id = $1', [browser.id]);
    await browser.signIn();
    const acts = await listActs();
    for (const command of ['revoke-token', 'token'])
      expect(await run(expired, command)).toMatchObject({ id: browser.id, state: 'expired' });
    expect(await listActs()).toEqual(acts);
  });

  it('refuses other input without repeating it, and takes no token as an argument', async () => {
    const { token } = await ada.createToken(['sessions:read']);
    const refused = async (input: string, ...args: string[]) => {
      const { code, stdout, stderr } = await runAdminWithInput(backend.env, input, ...args);
      expect([code, stdout]).toEqual([1, '']);
      return stderr;
    };
    expect(await refused('', 'token')).toContain('Pass the token on standard input');
    expect(await refused(UNKNOWN_TOKEN, 'revoke-token')).not.toContain(UNKNOWN_TOKEN);
    expect(await refused(`${token.slice(0, -1)}~`, 'token')).toContain('This is not a token of the service.');
    const { clientId } = await ThirdPartyApp.register(ada);
    expect(await refused(clientId, 'token')).toContain('client id');
    expect((await runAdminProgram(backend.env, 'token', token)).code).toBe(2);
  });
});
