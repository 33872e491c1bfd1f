import type { PageQueryDto } from '../../../common/pages';
import { DerivedKeyProvider, type Config } from '../../config';
import type { UnitOfWork } from '../unit-of-work';
import { CursorService } from './cursor.service';
import { creationOrderKey, KeysetPageReader, type KeysetListDefinition } from './keyset-page.reader';

interface TestRow {
  id: string;
  created_at: Date;
}
type TestQuery = PageQueryDto & { state?: string };

const list: KeysetListDefinition<TestRow> = {
  name: 'tests',
  ownerId: 'acc_1',
  select: 'SELECT * FROM tests t',
  where: (filters, bindParameter) => [`state = ${bindParameter(filters.state ?? null)}`],
  key: creationOrderKey('t'),
};
const createRows = (count: number) =>
  Array.from({ length: count }, (_, i): TestRow => ({ id: `tst_${i}`, created_at: new Date(i) }));

describe('KeysetPageReader', () => {
  let rows: TestRow[];
  let statements: { sql: string; parameters: unknown[] }[];
  const unitOfWork = {
    queryRows: (sql: string, parameters: unknown[]) => {
      statements.push({ sql, parameters });
      return Promise.resolve(rows);
    },
  } as unknown as UnitOfWork;
  const config = { appSecrets: ['s'.repeat(32)] } as unknown as Config;
  const reader = new KeysetPageReader(unitOfWork, new CursorService(new DerivedKeyProvider(config)));
  const readPage = (query: TestQuery, changed: Partial<KeysetListDefinition<TestRow>> = {}) =>
    reader.readPage({ ...list, ...changed }, query);
  const readCursor = async (query: TestQuery) => {
    rows = createRows((query.limit ?? 0) + 1);
    return (await readPage(query)).nextCursor!;
  };
  beforeEach(() => {
    [rows, statements] = [[], []];
  });

  it.each([
    { name: 'fewer rows than the limit', found: 1, hasMore: false },
    { name: 'as many rows as the limit', found: 2, hasMore: false },
    { name: 'one row more than the limit', found: 3, hasMore: true },
  ])('returns a cursor only if there are more rows: $name', async ({ found, hasMore }) => {
    rows = createRows(found);
    const page = await readPage({ limit: 2 });
    expect(page.data).toEqual(rows.slice(0, 2));
    expect(page.nextCursor !== null).toBe(hasMore);
  });

  it.each([
    { name: 'the default without a limit', query: {}, fetched: 51 },
    { name: 'the smallest limit', query: { limit: 1 }, fetched: 2 },
    { name: 'the largest limit', query: { limit: 200 }, fetched: 201 },
    { name: 'the largest page if the limit is larger', query: { limit: 201 }, fetched: 201 },
  ])('reads one row more than a page: $name', async ({ query, fetched }) => {
    await readPage(query);
    expect(statements[0]?.parameters.at(-1)).toBe(fetched);
  });

  it('continues after the last row of the page, with filters and order of the first query', async () => {
    const cursor = await readCursor({ limit: 2, state: 'active', order: 'asc' });
    await readPage({ limit: 2, cursor });
    const { sql, parameters } = statements[1]!;
    expect(sql).toContain('(t.created_at, t.id) > ($2::timestamptz, $3)');
    expect(sql).toContain('ORDER BY t.created_at asc, t.id asc');
    expect(parameters).toEqual(['active', new Date(1), 'tst_1', 3]);
  });

  it('continues with smaller keys in descending order, the default', async () => {
    await readPage({ cursor: await readCursor({ limit: 2 }) });
    expect(statements[1]?.sql).toContain('(t.created_at, t.id) < ($2::timestamptz, $3)');
  });

  it.each<{ name: string; query: TestQuery; changed?: Partial<KeysetListDefinition<TestRow>> }>([
    { name: 'another account', query: {}, changed: { ownerId: 'acc_2' } },
    { name: 'another list', query: {}, changed: { name: 'others' } },
    { name: 'another order', query: { order: 'asc' } },
    { name: 'another value of a filter', query: { state: 'ended' } },
  ])('rejects a cursor of $name without a query', async ({ query, changed }) => {
    const cursor = await readCursor({ limit: 2, state: 'active', order: 'desc' });
    statements = [];
    await expect(readPage({ cursor, ...query }, changed)).rejects.toMatchObject({ code: 'invalid_cursor' });
    expect(statements).toEqual([]);
  });

  it('rejects a filter that the query of the cursor did not have', async () => {
    const cursor = await readCursor({ limit: 2 });
    await expect(readPage({ cursor, state: 'active' })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('accepts a cursor with its own filters and order repeated, and with another limit', async () => {
    const cursor = await readCursor({ limit: 2, state: 'active', order: 'asc' });
    await readPage({ cursor, limit: 7, state: 'active', order: 'asc' });
    expect(statements[1]?.parameters).toEqual(['active', new Date(1), 'tst_1', 8]);
  });
});
