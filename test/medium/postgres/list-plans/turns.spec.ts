import { expectCheapPlan, expectNoCostlierPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';

describeWithPostgres('the list of 60,000 turns', () => {
  let plans: ListPlanFixture;
  let list: string;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    const { id } = await plans.ada.createSession(plans.ada);
    list = `/external/v1/sessions/${id}/turns`;
    await plans.testDatabase.query(
      `INSERT INTO turns (id, account_id, session_id, device_id, revision, state, created_at, updated_at)
       SELECT 'turn_' || lpad(to_hex(i), 26, '0'), $2, $1, 'dev_' || repeat('0', 26), 1,
              CASE WHEN i % 1000 = 0 THEN 'running' ELSE (ARRAY['completed', 'failed'])[1 + i % 2] END,
              now() - i * interval '1 second', now()
         FROM generate_series(1, 60000) i`,
      [id, plans.ada.accountId],
    );
    await plans.testDatabase.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  it.each(['', '?order=asc', '?state=completed', '?state=running&order=asc', '?state=lost'])(
    'reads only one page of an index: %s',
    async (query) => {
      expectCheapPlan(await plans.explainList(list + query, 'turns'));
    },
  );

  it('costs the same on page 1,000 as on page 1', async () => {
    const cursor = await plans.createCursorOfPage1000(
      list,
      'SELECT created_at, id FROM turns ORDER BY created_at DESC, id DESC',
    );
    const late = await plans.explainList(`${list}?cursor=${cursor}`, 'turns');
    expectNoCostlierPlan(late, await plans.explainList(list, 'turns'));
  });
});
