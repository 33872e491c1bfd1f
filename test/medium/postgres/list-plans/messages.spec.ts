import { expectCheap, expectNoDearer, ListPlans } from '../../../support/list-plans';
import { describePostgres } from '../../../support/postgres';

describePostgres('the list of 60,000 messages', () => {
  let plans: ListPlans;
  let list: string;

  beforeAll(async () => {
    plans = await ListPlans.start();
    const { id } = await plans.ada.openSession(plans.ada);
    list = `/external/v1/sessions/${id}/messages`;
    await plans.database.query(
      `INSERT INTO messages (id, session_id, seq, local_id, role, key_id, content, size_bytes, created_at)
       SELECT 'msg_' || lpad(to_hex(i), 26, '0'), $1, i, 'm' || i, (ARRAY['user', 'assistant'])[1 + i % 2], 'k', 'c',
              1, now()
         FROM generate_series(1, 60000) i`,
      [id],
    );
    await plans.database.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  it.each(['', '?order=asc', '?role=user', '?afterSeq=19000', '?beforeSeq=1000', '?role=user&beforeSeq=1000'])(
    'reads no more of an index than a page needs: %s',
    async (query) => {
      expectCheap(await plans.of(list + query, 'messages'));
    },
  );

  it('costs on page 1,000 what it costs on page 1', async () => {
    const cursor = await plans.cursorOfPage1000(list, 'SELECT seq FROM messages ORDER BY seq DESC');
    const late = await plans.of(`${list}?cursor=${cursor}`, 'messages');
    expectNoDearer(late, await plans.of(list, 'messages'));
  });
});
