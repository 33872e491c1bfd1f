import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { queryDatabase } from '../../support/database';
import { buildListPath, fetchAllIds } from '../../support/list-pages';
import { expectViolationPaths } from '../../support/problems';
import { insertMachines, insertSessions, type InsertedRowValues } from '../../support/session-rows';
import { Service } from '../../support/service';

const SESSIONS = '/external/v1/sessions';
const MACHINES = '/external/v1/machines';
const T = Date.UTC(2026, 0, 1);

describe('filters', () => {
  let service: Service;
  let account: ForeignAccountDevice;
  let token: string;
  let machineId: string;
  const session: Record<string, string> = {};
  const machine: Record<string, string> = {};

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    account = await ForeignAccountDevice.signUp(service.http);
    token = (await account.createToken(['sessions:read', 'machines:read'])).token;
    machine.off = machineId = await add(insertMachines, { createdAt: T });
    machine.on = await add(insertMachines, { createdAt: T + 1, state: 'online' });
    machine.unused = await add(insertMachines, { createdAt: T + 2 });
    // It has never been connected.
    await queryDatabase(
      service,
      'DELETE FROM device_presence WHERE device_id = (SELECT device_id FROM machines WHERE id = $1)',
      [machine.unused],
    );
    session.old = await add(insertSessions, { createdAt: T - 1, updatedAt: T + 500 });
    session.exact = await add(insertSessions, { createdAt: T, state: 'ended' });
    session.hosted = await add(insertSessions, { createdAt: T + 1, machineId });
    session.both = await add(insertSessions, { createdAt: T + 2, machineId, state: 'ended' });
  });
  afterAll(() => service?.stop());

  async function add(insert: typeof insertSessions, values: InsertedRowValues): Promise<string> {
    return (await insert(service, account.accountId, values))[0]!;
  }

  it.each([
    [{}, ['both', 'hosted', 'exact', 'old']],
    [{ state: 'active' }, ['hosted', 'old']],
    [{ state: 'ended' }, ['both', 'exact']],
    [{ createdSince: T }, ['both', 'hosted', 'exact']],
    [{ createdSince: T + 1 }, ['both', 'hosted']],
    [{ createdUntil: T }, ['old']],
    [{ createdUntil: T + 1 }, ['exact', 'old']],
    [{ createdSince: T, createdUntil: T + 2 }, ['hosted', 'exact']],
    [{ createdSince: T + 2, createdUntil: T }, []],
    [{ updatedSince: T + 500 }, ['old']],
    [{ updatedSince: T + 501 }, []],
    [{ state: 'ended', createdSince: T + 1 }, ['both']],
    [{ tag: 'no such tag' }, []],
    [{ machineId: 'mch_00000000000000000000000000' }, []],
    [{ machineId: 'nonsense' }, []],
  ])('of sessions: %j', async (given, expected) => {
    for (const limit of [undefined, 1]) {
      const ids = await fetchAllIds(service.http, token, SESSIONS, { ...given, limit });
      expect(ids).toEqual(expected.map((name) => session[name]));
    }
  });

  it('of sessions: machineId, tag', async () => {
    const byMachine = await fetchAllIds(service.http, token, SESSIONS, { machineId });
    expect(byMachine).toEqual([session.both, session.hosted]);
    const { data } = expectStatus(await service.http.get(`${SESSIONS}/${session.exact}`, token), 200);
    expect(await fetchAllIds(service.http, token, SESSIONS, { tag: data.tag })).toEqual([session.exact]);
  });

  it.each([
    [{}, ['unused', 'on', 'off']],
    [{ state: 'online' }, ['on']],
    [{ state: 'offline' }, ['unused', 'off']],
  ])('of machines: %j', async (given, expected) => {
    const ids = await fetchAllIds(service.http, token, MACHINES, given);
    expect(ids).toEqual(expected.map((name) => machine[name]));
  });

  it.each([
    [SESSIONS, 'state', 'open'],
    [SESSIONS, 'createdSince', 'yesterday'],
    [SESSIONS, 'createdSince', '-1'],
    [SESSIONS, 'createdUntil', '1.5'],
    [SESSIONS, 'updatedSince', '9'.repeat(17)],
    [SESSIONS, 'tag', ''],
    [SESSIONS, 'updatedUntil', '1'],
    [MACHINES, 'state', 'ended'],
    [MACHINES, 'machineId', 'mch_x'],
  ])('reject on %s %s=%s', async (path, name, value) => {
    expect(expectViolationPaths(await service.http.get(buildListPath(path, { [name]: value }), token))).toEqual([
      `/${name}`,
    ]);
  });

  it.each(['tag', 'machineId'])('return a client error or no items for a NUL in %s', async (name) => {
    const { status, body } = await service.http.get(`${SESSIONS}?${name}=a%00b`, token);
    expect(status === 200 ? body.data : status).toEqual(status === 200 ? [] : 400);
  });
});
