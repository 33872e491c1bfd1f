import { expectCheapPlan, expectNoCostlierPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';

const TABLE = 'queued_messages';

describeWithPostgres('the list of 60,000 queued messages', () => {
  let plans: ListPlanFixture;
  let list: string;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    const { id } = await plans.ada.createSession(plans.ada);
    list = `/external/v1/sessions/${id}/queued-messages`;
    // Nearly all are delivered, a few were cancelled, and 60 wait.
    await plans.testDatabase.query(
      `INSERT INTO queued_messages (id, account_id, session_id, position, size_bytes, expires_at, due_at, created_at,
                                    state, ended_at)
       SELECT 'qmsg_' || lpad(to_hex(i), 26, '0'), $1, $2, i, 1, now() + interval '1 day',
              now() + interval '1 day', now(),
              CASE WHEN i % 1000 = 0 THEN 'queued' WHEN i % 1000 = 1 THEN 'cancelled' ELSE 'delivered' END,
              CASE WHEN i % 1000 = 0 THEN NULL ELSE now() END
         FROM generate_series(1, 60000) i`,
      [plans.ada.accountId, id],
    );
    await plans.testDatabase.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  it.each(['', '?order=asc', '?state=queued', '?state=cancelled', '?state=delivered&order=asc'])(
    'reads only one page of an index: %s',
    async (query) => {
      expectCheapPlan(await plans.explainList(list + query, TABLE));
    },
  );

  it('costs the same on page 1,000 as on page 1', async () => {
    const key = `SELECT position FROM ${TABLE} ORDER BY position DESC`;
    const cursor = await plans.createCursorOfPage1000(list, key);
    const late = await plans.explainList(`${list}?cursor=${cursor}`, TABLE);
    expectNoCostlierPlan(late, await plans.explainList(list, TABLE));
  });
});
