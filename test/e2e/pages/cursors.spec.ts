import { createBackend, type Backend } from '../../support/backend';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { listPath } from '../../support/pages';
import { problem } from '../../support/problems';
import { insertMachines, insertSessions } from '../../support/rows';
import { Service } from '../../support/service';

const SESSIONS = '/external/v1/sessions';
const MACHINES = '/external/v1/machines';
const OLD_SECRET = 'the application secret of last year';
const NEW_SECRET = 'the application secret of this year';
const FILTERS = { state: 'active', createdSince: 1_000, limit: 2 };

describe('a cursor', () => {
  let backend: Backend;
  let service: Service;
  let account: AccountDevice;
  let token: string;
  let cursor: string;

  beforeAll(async () => {
    backend = await createBackend();
    service = await Service.start({ APP_SECRET: OLD_SECRET, RATE_LIMIT_METADATA: '100000' }, backend);
    account = await AccountDevice.signUp(service.http);
    token = (await account.createToken(['sessions:read', 'machines:read'])).token;
    await insertSessions(service, account.accountId, { count: 5 });
    await insertSessions(service, account.accountId, { count: 5, state: 'ended' });
    await insertMachines(service, account.accountId, { count: 5 });
    cursor = ok(await get(SESSIONS, FILTERS), 200).nextCursor;
  });
  afterAll(() => service?.stop());

  const get = (path: string, parameters: object, by = token) => service.http.get(listPath(path, { ...parameters }), by);

  async function otherAccount(): Promise<string> {
    const other = await AccountDevice.signUp(service.http);
    await insertSessions(service, other.accountId, { count: 5 });
    return (await other.createToken(['sessions:read'])).token;
  }

  it('carries the filters it was made with', async () => {
    const seen: any[] = [];
    for (let next: string | null = cursor; next;) {
      const page: any = ok(await get(SESSIONS, { cursor: next }), 200);
      seen.push(...page.data);
      next = page.nextCursor;
    }
    expect(seen).toHaveLength(3);
    expect(seen.every((session) => session.state === 'active')).toBe(true);
  });

  it('takes equal filters and order, all or some of them', async () => {
    for (const given of [FILTERS, { state: 'active' }, { createdSince: 1_000, order: 'desc', limit: 1 }]) {
      expect((await get(SESSIONS, { cursor, ...given })).status).toBe(200);
    }
  });

  it.each([
    [{ state: 'ended' }],
    [{ createdSince: 1_001 }],
    [{ createdUntil: 5_000 }],
    [{ tag: 'x' }],
    [{ machineId: 'mch_x' }],
    [{ updatedSince: 0 }],
    [{ order: 'asc' }],
  ])('refuses %j, which it was not made with', async (given) => {
    problem(await get(SESSIONS, { cursor, ...given }), 400, 'invalid_cursor');
  });

  it('keeps the order it was made with', async () => {
    const made = ok(await get(SESSIONS, { limit: 2, order: 'asc' }), 200).nextCursor;
    problem(await get(SESSIONS, { cursor: made, order: 'desc' }), 400, 'invalid_cursor');
    const rest = ok(await get(SESSIONS, { cursor: made }), 200).data.map((row: any) => row.id);
    const all = ok(await get(SESSIONS, { order: 'asc' }), 200).data.map((row: any) => row.id);
    expect(rest).toEqual(all.slice(2));
  });

  it('is refused when changed in any place', async () => {
    for (let at = 0; at < cursor.length; at += 7) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      problem(await get(SESSIONS, { cursor: changed }), 400, 'invalid_cursor');
    }
  });

  it('is refused when cut, lengthened, spelt otherwise or invented', async () => {
    const forged = Buffer.from(JSON.stringify({ list: 'sessions', after: [0, ''] })).toString('base64url');
    for (const other of [
      cursor.slice(0, -1),
      cursor.slice(1),
      cursor.slice(0, 10),
      'x',
      `${cursor}A`,
      `${cursor}=`,
      forged,
    ]) {
      problem(await get(SESSIONS, { cursor: other }), 400, 'invalid_cursor');
    }
  });

  it('is refused on another list', async () => {
    const made = ok(await get(MACHINES, { limit: 2 }), 200).nextCursor;
    expect((await get(MACHINES, { cursor: made })).status).toBe(200);
    problem(await get(SESSIONS, { cursor: made }), 400, 'invalid_cursor');
    problem(await get(MACHINES, { cursor }), 400, 'invalid_cursor');
  });

  it('is refused for another account', async () => {
    problem(await get(SESSIONS, { cursor }, await otherAccount()), 400, 'invalid_cursor');
  });

  it('serves another token of the same account', async () => {
    const other = await account.createToken(['sessions:read']);
    expect((await get(SESSIONS, { cursor }, other.token)).status).toBe(200);
  });

  it('stays good when APP_SECRET is rotated, and ends with its secret', async () => {
    await service.app.close();
    service = await Service.start({ APP_SECRET: `${NEW_SECRET},${OLD_SECRET}` }, backend);
    const rotated = ok(await get(SESSIONS, { cursor }), 200);
    expect(rotated.data.every((session: any) => session.state === 'active')).toBe(true);
    await service.app.close();
    service = await Service.start({ APP_SECRET: NEW_SECRET }, backend);
    problem(await get(SESSIONS, { cursor }), 400, 'invalid_cursor');
  });
});
