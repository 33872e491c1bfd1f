import { expectStatus } from '../../../support/device/foreign-device';
import { expectCheapPlan, expectNoCostlierPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';

describeWithPostgres('the list of 60,000 invocations', () => {
  let plans: ListPlanFixture;
  let list: string;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    const device = await plans.ada.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    const { id } = expectStatus(await plans.ada.http.post('/v1/machines', device.token, body), 201).data;
    list = `/external/v1/machines/${id}/invocations`;
    await plans.testDatabase.query(
      `INSERT INTO invocations (id, account_id, machine_id, device_id, revision, version, state, timed_out,
                                stdout_bytes, stderr_bytes, created_at, updated_at)
       SELECT 'inv_' || lpad(to_hex(i), 26, '0'), $2, $1, $3, 1, 2,
              CASE WHEN i % 1000 = 0 THEN 'running' ELSE (ARRAY['completed', 'failed'])[1 + i % 2] END, false,
              0, 0, now() - i * interval '1 second', now()
         FROM generate_series(1, 60000) i`,
      [id, plans.ada.accountId, device.id],
    );
    await plans.testDatabase.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  it.each(['', '?order=asc', '?state=completed', '?state=running&order=asc', '?state=lost'])(
    'reads only one page of an index: %s',
    async (query) => {
      expectCheapPlan(await plans.explainList(list + query, 'invocations'));
    },
  );

  it('costs the same on page 1,000 as on page 1', async () => {
    const cursor = await plans.createCursorOfPage1000(
      list,
      'SELECT created_at, id FROM invocations ORDER BY created_at DESC, id DESC',
    );
    const late = await plans.explainList(`${list}?cursor=${cursor}`, 'invocations');
    expectNoCostlierPlan(late, await plans.explainList(list, 'invocations'));
  });
});
