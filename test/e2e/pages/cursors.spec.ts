import { createBackend, type Backend } from '../../support/backend';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { buildListPath } from '../../support/list-pages';
import { expectProblem } from '../../support/problems';
import { insertMachines, insertSessions } from '../../support/session-rows';
import { Service } from '../../support/service';

const SESSIONS = '/external/v1/sessions';
const MACHINES = '/external/v1/machines';
const OLD_SECRET = 'the application secret of last year';
const NEW_SECRET = 'the application secret of this year';
const FILTERS = { state: 'active', createdSince: 1_000, limit: 2 };

describe('a cursor', () => {
  let backend: Backend;
  let service: Service;
  let account: ForeignAccountDevice;
  let token: string;
  let cursor: string;

  beforeAll(async () => {
    backend = await createBackend();
    service = await Service.start({ APP_SECRET: OLD_SECRET, RATE_LIMIT_METADATA: '100000' }, backend);
    account = await ForeignAccountDevice.signUp(service.http);
    token = (await account.createToken(['sessions:read', 'machines:read'])).token;
    await insertSessions(service, account.accountId, { count: 5 });
    await insertSessions(service, account.accountId, { count: 5, state: 'ended' });
    await insertMachines(service, account.accountId, { count: 5 });
    cursor = expectStatus(await get(SESSIONS, FILTERS), 200).nextCursor;
  });
  afterAll(() => service?.stop());

  const get = (path: string, parameters: object, by = token) =>
    service.http.get(buildListPath(path, { ...parameters }), by);

  async function otherAccount(): Promise<string> {
    const other = await ForeignAccountDevice.signUp(service.http);
    await insertSessions(service, other.accountId, { count: 5 });
    return (await other.createToken(['sessions:read'])).token;
  }

  it('contains its filters', async () => {
    const seen: any[] = [];
    for (let next: string | null = cursor; next;) {
      const page: any = expectStatus(await get(SESSIONS, { cursor: next }), 200);
      seen.push(...page.data);
      next = page.nextCursor;
    }
    expect(seen).toHaveLength(3);
    expect(seen.every((session) => session.state === 'active')).toBe(true);
  });

  it('accepts equal filters and order, all or some of them', async () => {
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
  ])('rejects %j, which it was not created with', async (given) => {
    expectProblem(await get(SESSIONS, { cursor, ...given }), 400, 'invalid_cursor');
  });

  it('contains its order', async () => {
    const made = expectStatus(await get(SESSIONS, { limit: 2, order: 'asc' }), 200).nextCursor;
    expectProblem(await get(SESSIONS, { cursor: made, order: 'desc' }), 400, 'invalid_cursor');
    const rest = expectStatus(await get(SESSIONS, { cursor: made }), 200).data.map((row: any) => row.id);
    const all = expectStatus(await get(SESSIONS, { order: 'asc' }), 200).data.map((row: any) => row.id);
    expect(rest).toEqual(all.slice(2));
  });

  it('is rejected when changed at any position', async () => {
    for (let at = 0; at < cursor.length; at += 7) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expectProblem(await get(SESSIONS, { cursor: changed }), 400, 'invalid_cursor');
    }
  });

  it('is rejected when shortened, extended, re-encoded or invented', async () => {
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
      expectProblem(await get(SESSIONS, { cursor: other }), 400, 'invalid_cursor');
    }
  });

  it('is rejected on another list', async () => {
    const made = expectStatus(await get(MACHINES, { limit: 2 }), 200).nextCursor;
    expect((await get(MACHINES, { cursor: made })).status).toBe(200);
    expectProblem(await get(SESSIONS, { cursor: made }), 400, 'invalid_cursor');
    expectProblem(await get(MACHINES, { cursor }), 400, 'invalid_cursor');
  });

  it('is rejected for another account', async () => {
    expectProblem(await get(SESSIONS, { cursor }, await otherAccount()), 400, 'invalid_cursor');
  });

  it('works with another token of the same account', async () => {
    const other = await account.createToken(['sessions:read']);
    expect((await get(SESSIONS, { cursor }, other.token)).status).toBe(200);
  });

  it('stays valid when APP_SECRET is rotated, until its secret is removed', async () => {
    await service.app.close();
    service = await Service.start({ APP_SECRET: `${NEW_SECRET},${OLD_SECRET}` }, backend);
    const rotated = expectStatus(await get(SESSIONS, { cursor }), 200);
    expect(rotated.data.every((session: any) => session.state === 'active')).toBe(true);
    await service.app.close();
    service = await Service.start({ APP_SECRET: NEW_SECRET }, backend);
    expectProblem(await get(SESSIONS, { cursor }), 400, 'invalid_cursor');
  });
});
