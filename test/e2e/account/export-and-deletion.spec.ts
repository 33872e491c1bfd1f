import { GrantedArtifact } from '../../support/content/granted-session';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSocket } from '../../support/device/device-socket';
import { DeviceSession } from '../../support/device/device-session';
import { queryDatabase, waitForAccountCleanup } from '../../support/database';
import { Service } from '../../support/service';
import { insertSessions } from '../../support/session-rows';

/** Arrays of an export (docs/protocol/device-api.md#account). */
const SECTIONS = [
  'apps',
  'artifacts',
  'auditEvents',
  'authorizedApps',
  'devices',
  'invocations',
  'keyGrants',
  'machines',
  'messages',
  'permissionRequests',
  'pushSubscriptions',
  'queuedMessages',
  'sessions',
  'tokens',
  'turns',
  'webhooks',
];

describe('an account', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  const furnished = async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const machine = await ada.pairDevice('machine');
    expectStatus(await service.http.post('/v1/machines', machine.token, { name: 'box', platform: 'linux' }), 201);
    const session = await DeviceSession.createSession(ada);
    await session.appendMessages('a', 'b', 'c');
    const { token } = await ada.createToken(['sessions:read']);
    return { ada, machine, session, token };
  };

  it('exports all records and ciphertext, but no secret', async () => {
    const { ada, machine, session, token } = await furnished();
    const artifact = await GrantedArtifact.createArtifact(ada, 'a report');
    const grant = expectStatus(await artifact.grantToService(), 201).data;
    const httpResponse = await service.http.get('/v1/account/export', ada.token);
    expect(httpResponse.status).toBe(200);
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    expect(httpResponse.headers.get('content-disposition')).toBe('attachment; filename=account-export.json');
    const { data } = httpResponse.body;
    expect(httpResponse.headers.get('etag')).toBeNull();
    expect(Object.keys(data)).toEqual(['account', ...SECTIONS]);
    expect(data.account).toEqual(expectStatus(await service.http.get('/v1/account', ada.token), 200).data);
    expect(data.devices).toHaveLength(2);
    expect(data.devices).toContainEqual(
      expect.objectContaining({ id: machine.id, ...machine.keys, enrollment: expect.stringMatching(/^[\w-]+\./) }),
    );
    expect(data.artifacts).toMatchObject([{ id: artifact.id, content: expect.stringMatching(/^[\w-]+\.\./) }]);
    expect(data.keyGrants).toEqual([grant]);
    expect(JSON.stringify(data.keyGrants)).not.toContain('sealed');
    expect(data.machines).toMatchObject([{ name: 'box' }]);
    expect(data.sessions).toMatchObject([{ id: session.id }]);
    expect(data.messages.map((message: any) => message.localId)).toEqual(['a', 'b', 'c']);
    expect(data.messages[0].content).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(data.tokens).toMatchObject([{ object: 'token', state: 'active' }]);
    const text = JSON.stringify(data);
    for (const secret of [token, ada.token, machine.token]) expect(text).not.toContain(secret);
  });

  it('exports to account devices only', async () => {
    const { machine } = await furnished();
    expect((await service.http.get('/v1/account/export', machine.token)).body.code).toBe('forbidden');
    expect((await service.http.delete('/v1/account', machine.token)).body.code).toBe('forbidden');
  });

  it('answers before the many records of an account are deleted', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const bob = await ForeignAccountDevice.signUp(service.http);
    await insertSessions(service, ada.accountId, { count: 5_000 });
    const countSessions = async () => {
      const sql = 'SELECT count(*)::int AS count FROM sessions WHERE account_id = $1';
      return (await queryDatabase<{ count: number }>(service, sql, [ada.accountId]))[0]!.count;
    };
    expectStatus(await service.http.delete('/v1/account', ada.token), 204);
    expectStatus(await service.http.get('/v1/account', bob.token), 200);
    expect(await countSessions()).toBeGreaterThan(0);
    await waitForAccountCleanup(service);
    expect(await countSessions()).toBe(0);
  });

  it('deletes all records, and ends tokens and sockets at once', async () => {
    const { ada, machine, token } = await furnished();
    const socket = await DeviceSocket.connect(service.url, machine.token, []);
    const startedAt = Date.now();
    expect((await service.http.delete('/v1/account', ada.token)).status).toBe(204);
    for (const [path, credential] of [
      ['/external/v1/me', token],
      ['/v1/account', ada.token],
      ['/v1/sessions', machine.token],
    ]) {
      const httpResponse = await service.http.get(path!, credential);
      expect(httpResponse.status).toBe(401);
      expect(httpResponse.body).toMatchObject({ code: 'invalid_token', reason: 'unknown' });
    }
    await socket.disconnected;
    expect(Date.now() - startedAt).toBeLessThan(5_000);
    await waitForAccountCleanup(service);
    for (const table of ['accounts', 'devices', 'sessions', 'machines', 'external_tokens']) {
      const column = table === 'accounts' ? 'id' : 'account_id';
      const rows = await queryDatabase(service, `SELECT 1 FROM ${table} WHERE ${column} = $1`, [ada.accountId]);
      expect(rows).toEqual([]);
    }
  });
});
