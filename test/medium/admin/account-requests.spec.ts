import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runAdminProgram, runAdminJson } from '../../support/admin-cli';
import { createBackend, type Backend } from '../../support/backend';
import { queryDatabase } from '../../support/database';
import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { describeWithServices } from '../../support/postgres';
import { Service } from '../../support/service';
import { createTempFolder } from '../../support/temp-folder';

/** The account's plan, which the document shows, depends on the settings. */
const SETTINGS = { RATE_LIMIT_METADATA: '1000000' };

describeWithServices('the admin commands for requests of an account', () => {
  let backend: Backend;
  let service: Service;
  let ada: ForeignAccountDevice;

  beforeAll(async () => {
    backend = await createBackend('services');
    service = await Service.start(SETTINGS, backend);
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
  });

  const run = (...args: string[]) => runAdminJson({ ...backend.env, ...SETTINGS }, ...args);
  const countAccounts = async () =>
    (await queryDatabase<{ n: number }>(service, 'SELECT count(*)::int AS n FROM accounts'))[0]!.n;

  it('writes the document that the account exports itself, to a file that only the operator can read', async () => {
    await ada.createSession(ada);
    await ada.createToken(['sessions:read']);
    const file = join(createTempFolder(), 'ada.json');
    const written = await run('export-account', ada.username, `--output=${file}`, '--reason=letter of 24 November');
    expect(written).toEqual({
      accountId: ada.accountId,
      username: ada.username,
      file,
      bytes: statSync(file).size,
    });
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    const document = JSON.parse(readFileSync(file, 'utf8'));
    const own = expectStatus(await service.http.get('/v1/account/export', ada.token), 200);
    const [ownExport, operatorExport, ...earlier] = own.data.auditEvents.reverse();
    expect(ownExport).toMatchObject({ act: 'account.exported', actor: { kind: 'device' } });
    expect(operatorExport).toMatchObject({ actor: { kind: 'operator' }, reason: 'letter of 24 November' });
    expect(document.data.auditEvents.reverse()).toEqual([operatorExport, ...earlier]);
    expect({ ...document.data, auditEvents: [] }).toEqual({ ...own.data, auditEvents: [] });
    expect(document.data.sessions).toHaveLength(1);
  });

  it('overwrites no file, and leaves none when it cannot write', async () => {
    const folder = createTempFolder();
    const file = join(folder, 'ada.json');
    writeFileSync(file, 'mine');
    const existing = await runAdminProgram(backend.env, 'export-account', ada.username, `--output=${file}`);
    expect(existing).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Choose another name.') });
    const missing = join(folder, 'no-such-folder', 'ada.json');
    expect((await runAdminProgram(backend.env, 'export-account', ada.username, `--output=${missing}`)).code).toBe(1);
    expect((await runAdminProgram(backend.env, 'export-account', 'nobody', `--output=${file}2`)).code).toBe(1);
    expect((await runAdminProgram(backend.env, 'export-account', ada.username)).code).toBe(2);
    expect([readdirSync(folder), readFileSync(file, 'utf8')]).toEqual([['ada.json'], 'mine']);
  });

  it('deletes an account with its sockets, after its username was confirmed', async () => {
    const machine = await ada.pairDevice('machine');
    const socket = await DeviceSocket.connect(service.http.url, machine.token, []);
    const before = await countAccounts();
    const refused = await runAdminProgram(backend.env, 'delete-account', ada.username, '--confirm=bob');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain(`--confirm ${ada.username}`);
    expect((await runAdminProgram(backend.env, 'delete-account', ada.username)).code).toBe(2);
    expect(await countAccounts()).toBe(before);
    expect(await run('delete-account', ada.accountId, '--confirm', ada.username, '--reason=asked for it')).toEqual({
      accountId: ada.accountId,
      username: ada.username,
      deleted: true,
    });
    await socket.disconnected;
    expect((await service.http.get('/v1/account', ada.token)).status).toBe(401);
    expect(await countAccounts()).toBe(before - 1);
    const acts = await queryDatabase(service, 'SELECT act, account_id, reason FROM audit_events WHERE target_id = $1', [
      ada.accountId,
    ]);
    expect(acts).toEqual([{ act: 'account.deleted', account_id: null, reason: 'asked for it' }]);
  });
});
