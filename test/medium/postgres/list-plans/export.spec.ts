import { DataSource } from 'typeorm';
import { UnitOfWork } from '../../../../src/core/database';
import { expectStatus } from '../../../support/device/foreign-device';
import { ListPlanFixture } from '../../../support/list-plan-fixture';
import { insertManyArtifacts, insertManySessions } from '../../../support/large-tables';
import { describeWithPostgres } from '../../../support/postgres';

/** Pages of 8 KiB. A batch has at most 100 rows, each on a page of its own at worst, and its index. */
const MAX_BLOCKS = 500;

interface ExplainedNode {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

describeWithPostgres('the export of a large account among many', () => {
  let plans: ListPlanFixture;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    const { testDatabase, ada } = plans;
    // Everybody else's rows have lower ids, so that an index of ids alone is walked past all of them.
    await testDatabase.query(
      `INSERT INTO accounts (id, username, content_public_key, created_at)
       SELECT 'acc_' || lpad(i::text, 26, '0'), 'user-' || i, '{}', now() FROM generate_series(1, 2000) i`,
    );
    await testDatabase.query(
      `INSERT INTO sessions (id, account_id, tag, data_key_id, sealed_data_key, created_at, updated_at, last_active_at,
                             message_count)
       SELECT 'ses_' || lpad(i::text, 26, '0'), 'acc_' || lpad((1 + i % 2000)::text, 26, '0'), 'tag-' || i, 'k', 's',
              now(), now(), now(), 2
         FROM generate_series(1, 40000) i`,
    );
    await insertManySessions(testDatabase, ada.accountId, 5_000);
    await testDatabase.query(`UPDATE sessions SET message_count = 2 WHERE account_id = $1`, [ada.accountId]);
    await testDatabase.query(
      `INSERT INTO messages (id, session_id, seq, local_id, role, key_id, content, size_bytes, created_at)
       SELECT 'msg_' || CASE WHEN s.account_id = $1 THEN 'z' ELSE '0' END || substr(md5(s.id || n), 1, 25), s.id, n,
              'm' || n, 'user', 'k', 'c', 1, now()
         FROM sessions s, generate_series(1, 2) n`,
      [ada.accountId],
    );
    const { id } = await ada.createSession(ada);
    await insertManyArtifacts(testDatabase, ada.accountId, id, 2_000);
    await testDatabase.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  it('reads only its own rows, in batches that cost the same to the end', async () => {
    const { service, ada } = plans;
    const statements = new Map<string, unknown[]>();
    const unitOfWork = service.app.get(UnitOfWork, { strict: false });
    const queryRows = unitOfWork.queryRows.bind(unitOfWork);
    // Later batches replace earlier ones: the last of each statement is the deepest.
    const spy = jest.spyOn(unitOfWork, 'queryRows').mockImplementation((sql: string, parameters?: unknown[]) => {
      if (/LIMIT \$2$/.test(sql)) statements.set(sql, parameters!);
      return queryRows(sql, parameters);
    });
    const { data } = expectStatus(await service.http.get('/v1/account/export', ada.token), 200);
    spy.mockRestore();
    expect(data.sessions).toHaveLength(5_001);
    expect(data.messages).toHaveLength(10_000);
    expect(new Set(data.messages.map(({ id }: { id: string }) => id)).size).toBe(10_000);
    expect(data.artifacts).toHaveLength(2_000);

    const tables = [...statements.keys()].map((sql) => /FROM (\w+)/.exec(sql)![1]!);
    expect(tables).toEqual(expect.arrayContaining(['messages', 'sessions', 'artifacts', 'key_grants', 'turns']));
    const costs = await Promise.all(
      [...statements].map(async ([sql, values]) => [sql, await countBlocks(sql, values)]),
    );
    expect(costs.filter(([, blocks]) => (blocks as number) > MAX_BLOCKS)).toEqual([]);
  }, 120_000);

  /** Runs the statement. @returns the pages that it read. */
  async function countBlocks(sql: string, parameters: unknown[]): Promise<number> {
    const [row] = await plans.service.app
      .get(DataSource)
      .query<Record<string, [{ Plan: ExplainedNode }]>[]>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, parameters);
    const { Plan } = row!['QUERY PLAN']![0];
    return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
  }
});
