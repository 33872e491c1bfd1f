import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { buildListPath, fetchAllIds } from '../../support/list-pages';
import { expectViolationPaths } from '../../support/problems';
import { insertMachines, insertSessions } from '../../support/session-rows';
import { Service } from '../../support/service';

const LISTS = [
  { list: 'sessions', path: '/external/v1/sessions', insert: insertSessions },
  { list: 'machines', path: '/external/v1/machines', insert: insertMachines },
];
const NOW = Date.UTC(2026, 0, 1);

describe('pages', () => {
  let service: Service;
  let account: ForeignAccountDevice;
  let token: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
  });
  beforeEach(async () => {
    account = await ForeignAccountDevice.signUp(service.http);
    token = (await account.createToken(['sessions:read', 'machines:read'])).token;
  });
  afterAll(() => service?.stop());

  describe.each(LISTS)('of $list', ({ list, path, insert }) => {
    const get = (parameters: object) => service.http.get(buildListPath(path, { ...parameters }), token);

    it('are empty with a null nextCursor without items', async () => {
      expect((await get({})).body).toEqual({ data: [], nextCursor: null });
    });

    it('have 50 rows by default, 200 at most, and always a nextCursor member', async () => {
      await insert(service, account.accountId, { count: 201 });
      for (const [limit, length] of [
        [undefined, 50],
        [1, 1],
        [200, 200],
        [201, 200],
        [1_000_000, 200],
      ]) {
        const { body } = await get({ limit });
        expect(body.data).toHaveLength(length!);
        expect(body.nextCursor).toEqual(expect.any(String));
      }
    });

    it('end with a null nextCursor even if the last page is full', async () => {
      await insert(service, account.accountId, { count: 4 });
      const first = await get({ limit: 2 });
      const second = await get({ limit: 2, cursor: first.body.nextCursor });
      expect(second.body.data).toHaveLength(2);
      expect(second.body.nextCursor).toBeNull();
    });

    it.each(['0', '-1', '1.5', 'abc', '', ' 5', '1e2'])('reject a limit of "%s"', async (limit) => {
      expect(expectViolationPaths(await get({ limit }))).toEqual(['/limit']);
    });

    it.each([
      ['order=up', '/order'],
      ['limit=1&limit=2', '/limit'],
      ['offset=3', '/offset'],
    ])('reject %s', async (parameters, fault) => {
      expect(expectViolationPaths(await service.http.get(`${path}?${parameters}`, token))).toEqual([fault]);
    });

    it('are newest first, and oldest first with order=asc', async () => {
      const ids: string[] = [];
      for (const age of [3, 1, 2]) {
        ids[age] = (await insert(service, account.accountId, { createdAt: NOW - age }))[0]!;
      }
      expect(await fetchAllIds(service.http, token, path, { limit: 1 })).toEqual([ids[1], ids[2], ids[3]]);
      const ascending = await fetchAllIds(service.http, token, path, { limit: 2, order: 'asc' });
      expect(ascending).toEqual([ids[3], ids[2], ids[1]]);
    });

    it.each(['asc', 'desc'])('show 500 rows of one millisecond exactly once, order %s', async (order) => {
      const ids = await insert(service, account.accountId, { count: 500, createdAt: NOW });
      const seen = await fetchAllIds(service.http, token, path, { limit: 90, order });
      expect(seen).toEqual(order === 'asc' ? ids : ids.reverse());
    });

    it.each(['asc', 'desc'])('show each existing row once during inserts and deletes, order %s', async (order) => {
      const unchangedIds: string[] = [];
      const deletedIds: string[] = [];
      for (let n = 0; n < 6; n++) {
        const of = { count: 10, createdAt: NOW + (n >> 1) };
        unchangedIds.push(...(await insert(service, account.accountId, of)));
        deletedIds.push(...(await insert(service, account.accountId, of)));
      }
      const seen = await fetchAllIds(service.http, token, path, { limit: 17, order }, async () => {
        const gone = deletedIds.splice(0, 15);
        await queryDatabase(service, `DELETE FROM ${list} WHERE id = ANY($1)`, [gone]);
        for (const createdAt of [NOW - 9, NOW, NOW + 1, NOW + 9]) {
          await insert(service, account.accountId, { count: 3, createdAt });
        }
      });
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(unchangedIds));
    });

    it('allow another limit on the next page', async () => {
      const ids = (await insert(service, account.accountId, { count: 9, createdAt: NOW })).reverse();
      const first = await get({ limit: 2 });
      const second = await get({ limit: 5, cursor: first.body.nextCursor });
      const third = await get({ cursor: second.body.nextCursor });
      const seen = [first, second, third].flatMap(({ body }) => body.data.map((row: any) => row.id));
      expect(seen).toEqual(ids);
    });

    it('never show another account’s rows', async () => {
      await insert(service, (await ForeignAccountDevice.signUp(service.http)).accountId, { count: 3 });
      expect((await get({})).body.data).toEqual([]);
    });
  });
});
