import { expectCheapPlan, expectNoCostlierPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';

const TURN_ID = `turn_${'3'.padStart(26, '0')}`;

describeWithPostgres('the list of 60,000 messages', () => {
  let plans: ListPlanFixture;
  let list: string;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    const { id } = await plans.ada.createSession(plans.ada);
    list = `/external/v1/sessions/${id}/messages`;
    await plans.testDatabase.query(
      `INSERT INTO messages (id, session_id, seq, local_id, role, key_id, content, size_bytes, created_at, turn_id)
       SELECT 'msg_' || lpad(to_hex(i), 26, '0'), $1, i, 'm' || i, (ARRAY['user', 'assistant'])[1 + i % 2], 'k', 'c',
              1, now(), CASE WHEN i % 3 = 0 THEN 'turn_' || lpad((i % 30)::text, 26, '0') END
         FROM generate_series(1, 60000) i`,
      [id],
    );
    await plans.testDatabase.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  it.each([
    '',
    '?order=asc',
    '?role=user',
    `?turnId=${TURN_ID}`,
    `?turnId=${TURN_ID}&order=asc`,
    `?turnId=${TURN_ID}&beforeSeq=30000`,
    '?turnId=unknown',
    '?afterSeq=19000',
    '?beforeSeq=1000',
    '?role=user&beforeSeq=1000',
  ])('reads only one page of an index: %s', async (query) => {
    expectCheapPlan(await plans.explainList(list + query, 'messages'));
  });

  it('costs the same on page 1,000 as on page 1', async () => {
    const cursor = await plans.createCursorOfPage1000(list, 'SELECT seq FROM messages ORDER BY seq DESC');
    const late = await plans.explainList(`${list}?cursor=${cursor}`, 'messages');
    expectNoCostlierPlan(late, await plans.explainList(list, 'messages'));
  });
});
