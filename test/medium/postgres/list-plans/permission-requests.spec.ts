import { expectCheapPlan, expectNoCostlierPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';

const TABLE = 'permission_requests';

describeWithPostgres('the list of 60,000 permission requests', () => {
  let plans: ListPlanFixture;
  let list: string;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    const { id } = await plans.ada.createSession(plans.ada);
    list = `/external/v1/sessions/${id}/permission-requests`;
    // Nearly all are allowed, a few have expired, and 32 are pending, half of which are past their time.
    await plans.testDatabase.query(
      `INSERT INTO permission_requests (id, account_id, session_id, turn_id, device_id, local_id, revision, kind,
                                        options, key_id, content, size_bytes, delete_content_at, state, created_at,
                                        expires_at)
       SELECT 'perm_' || lpad(to_hex(i), 26, '0'), $1, $2, 'turn_' || lpad('1', 26, '0'), 'dev_1', 'p' || i, 1,
              'execute', '[]', 'k', 'c', 1,
              now() + interval '30 days',
              CASE WHEN i % 1875 = 0 THEN 'pending' WHEN i % 1000 = 1 THEN 'expired' ELSE 'allowed' END,
              now() + i * interval '1 millisecond',
              now() + (CASE WHEN i % 3750 = 0 THEN -1 ELSE 1 END) * interval '10 minutes'
         FROM generate_series(1, 60000) i`,
      [plans.ada.accountId, id],
    );
    await plans.testDatabase.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  it.each(['', '?order=asc', '?state=pending', '?state=expired', '?state=expired&order=asc', '?state=allowed'])(
    'reads only one page of an index: %s',
    async (query) => {
      expectCheapPlan(await plans.explainList(list + query, TABLE));
    },
  );

  it.each(['', '?state=pending', '?state=pending&order=asc'])(
    'reads only one page of an index for all sessions: %s',
    async (query) => {
      expectCheapPlan(await plans.explainList(`/v1/permission-requests${query}`, TABLE));
    },
  );

  it('costs the same on page 1,000 as on page 1', async () => {
    const key = `SELECT created_at, id FROM ${TABLE} ORDER BY created_at DESC, id DESC`;
    const cursor = await plans.createCursorOfPage1000(list, key);
    const late = await plans.explainList(`${list}?cursor=${cursor}`, TABLE);
    expectNoCostlierPlan(late, await plans.explainList(list, TABLE));
  });
});
