import { RelayActivityService, type ListActivityQueryDto } from '../../../../src/modules/relay';
import { insertAccountsWithMachines } from '../../../support/large-tables';
import { expectCheapPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';

const SELECT_KEYS = 'SELECT created_at, request_id FROM relay_calls ORDER BY created_at DESC, request_id DESC';

describeWithPostgres('the list of 60,000 relayed calls', () => {
  let plans: ListPlanFixture;
  let activity: RelayActivityService;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    activity = plans.service.app.get(RelayActivityService, { strict: false });
    // In small tables, names are not looked up by an index.
    await insertAccountsWithMachines(plans.testDatabase, 5_000);
    await plans.testDatabase.query(
      `INSERT INTO external_tokens (id, account_id, name, scopes, created_at)
       SELECT 'tok_' || substr(id, 5), id, 'ci', '{}', now() FROM accounts WHERE username LIKE 'user-%'`,
    );
    await plans.testDatabase.query(
      `INSERT INTO developer_apps (id, account_id, name, redirect_uris, state, created_at, updated_at)
       SELECT 'svc_oapp_' || substr(id, 5), id, 'app', '{}', 'active', now(), now() FROM accounts`,
    );
    // One call in a thousand fails, times out, or is of the rare token, app or device.
    await plans.testDatabase.query(
      `INSERT INTO relay_calls (request_id, account_id, method, device_id, token_id, app_id, request_bytes, status,
                                outcome, timed_out, created_at)
       SELECT 'req_' || lpad(to_hex(i), 26, '0'), $1, 'machine.invoke',
              CASE WHEN i % 1000 = 1 THEN 'dev_rare' ELSE 'dev_common' END,
              CASE WHEN i % 1000 = 2 THEN 'tok_rare' ELSE 'tok_common' END,
              CASE WHEN i % 1000 = 3 THEN 'app_rare' END, 10,
              CASE WHEN i % 1000 = 4 THEN 504 ELSE 200 END, CASE WHEN i % 1000 = 4 THEN 'unknown' ELSE 'answered' END,
              i % 1000 = 5, now() - i * interval '1 second'
         FROM generate_series(1, 60000) i`,
      [plans.ada.accountId],
    );
    await plans.testDatabase.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  const explain = (query: ListActivityQueryDto) =>
    plans.explainStatement(() => activity.listActivity(plans.ada.accountId, query), 'relay_calls');

  it.each<ListActivityQueryDto>([
    {},
    { callerId: 'tok_rare' },
    { callerId: 'tok_common' },
    { callerId: 'tok_none' },
    { callerId: 'app_rare' },
    { deviceId: 'dev_rare' },
    { deviceId: 'dev_none' },
    { outcome: 'done' },
    { outcome: 'failed' },
    { outcome: 'timed_out' },
    { outcome: 'unknown' },
    { outcome: 'not_delivered' },
    { callerId: 'tok_rare', outcome: 'failed' },
    { since: Date.now() - 20_000_000, until: Date.now() - 10_000_000 },
    { deviceId: 'dev_common', until: Date.now() - 20_000_000 },
  ])('reads only one page of an index: %j', async (query) => {
    expectCheapPlan(await explain(query));
  });

  it('costs the same on page 1,000 as on page 1', async () => {
    const { nextCursor } = await activity.listActivity(plans.ada.accountId, {});
    const cursor = await plans.moveCursorToPage1000(nextCursor!, SELECT_KEYS);
    const [late, first] = [await explain({ cursor }), await explain({})];
    expectCheapPlan(late);
    // The scan reads to the end of the cursor's time.
    expect(late.rows).toBeLessThanOrEqual(first.rows + 2);
    expect(late.blocks).toBeLessThanOrEqual(first.blocks + 10);
  });
});
