import { DataSource } from 'typeorm';
import { UnitOfWork } from '../../../src/persistence';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { createDatabase, describePostgres, type Database } from '../../support/postgres';
import { Service } from '../../support/service';

const SESSIONS = 100_000;
const MESSAGES = 20_000;
/** A page of 50 is 51 rows; a plan may look at a few more where two conditions meet. */
const ROWS_LOOKED_AT = 2_000;

interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

describePostgres('lists in an account of 100,000 sessions', () => {
  let database: Database;
  let service: Service;
  let ada: AccountDevice;
  let token: string;
  let sessionId: string;

  beforeAll(async () => {
    database = await createDatabase();
    service = await Service.start({}, { env: database.env, dispose: () => database.drop() });
    ada = await AccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read', 'machines:read', 'artifacts:read']));
    sessionId = (await ada.openSession(ada)).id;
    await database.query(
      `INSERT INTO sessions (id, account_id, tag, state, data_key_id, sealed_data_key, created_at, updated_at,
                             last_active_at)
       SELECT 'ses_' || lpad(to_hex(i), 26, '0'), $1, 'tag-' || i, (ARRAY['active', 'ended'])[1 + i % 2], 'k', 's',
              at, at, at
         FROM generate_series(1, ${SESSIONS}) i, LATERAL (SELECT now() - i * interval '1 second' AS at) t`,
      [ada.accountId],
    );
    await database.query(
      `INSERT INTO messages (id, session_id, seq, local_id, role, key_id, content, size_bytes, created_at)
       SELECT 'msg_' || lpad(to_hex(i), 26, '0'), $1, i, 'm' || i, (ARRAY['user', 'assistant'])[1 + i % 2], 'k', 'c',
              1, now()
         FROM generate_series(1, ${MESSAGES}) i`,
      [sessionId],
    );
    await database.query('ANALYZE');
  });
  afterAll(() => service?.stop());

  /** The plan, as executed, of the one list statement that this request makes. */
  async function planOf(path: string, table: string): Promise<PlanNode[]> {
    const unitOfWork = service.app.get(UnitOfWork, { strict: false });
    const spy = jest.spyOn(unitOfWork, 'query');
    ok(await service.http.get(path, token), 200);
    const call = spy.mock.calls.find(([sql]) => sql.includes(`FROM ${table} `) && sql.includes('LIMIT'));
    spy.mockRestore();
    const [sql, parameters] = call!;
    const [row] = await service.app
      .get(DataSource)
      .query<Record<string, [{ Plan: PlanNode }]>[]>(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, parameters);
    return flatten(row!['QUERY PLAN']![0].Plan);
  }

  async function cursorAfter(path: string, pages: number): Promise<string> {
    let cursor = '';
    for (let page = 0; page < pages; page++) {
      const query = `limit=200${cursor && `&cursor=${cursor}`}`;
      cursor = ok(await service.http.get(`${path}?${query}`, token), 200).nextCursor;
    }
    return cursor;
  }

  const expectCheap = (nodes: PlanNode[]) => {
    const types = nodes.map((node) => node['Node Type']);
    expect(types).not.toContain('Seq Scan');
    expect(types.some((type) => /Index.* Scan/.test(type))).toBe(true);
    const lookedAt = nodes.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
    expect(Math.max(...lookedAt)).toBeLessThan(ROWS_LOOKED_AT);
  };

  it.each([
    '',
    '?order=asc',
    '?state=ended',
    '?state=active&order=asc',
    '?tag=tag-77777',
    '?machineId=mch_00000000000000000000000000',
    '?createdUntil=1',
    `?createdSince=1`,
    `?updatedSince=${Date.now() - 60_000}`,
  ])('read no more of an index than a page needs: /sessions%s', async (query) => {
    expectCheap(await planOf(`/external/v1/sessions${query}`, 'sessions'));
  });

  it('cost on page 200 what they cost on page 1', async () => {
    const cursor = await cursorAfter('/external/v1/sessions', 200);
    expectCheap(await planOf(`/external/v1/sessions?cursor=${cursor}`, 'sessions'));
  });

  it.each(['', '?order=asc', '?role=user', '?afterSeq=19000', '?beforeSeq=1000'])(
    'read no more of an index than a page needs: /messages%s',
    async (query) => {
      expectCheap(await planOf(`/external/v1/sessions/${sessionId}/messages${query}`, 'messages'));
    },
  );
});

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
