import { AuditEventsService, type ListAuditEventsQueryDto } from '../../../../src/modules/audit-events';
import { insertAccountsWithMachines } from '../../../support/large-tables';
import { expectCheapPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';

const SELECT_KEYS = 'SELECT created_at, id FROM audit_events ORDER BY created_at DESC, id DESC';

describeWithPostgres('the list of 60,000 audit events', () => {
  let plans: ListPlanFixture;
  let auditEvents: AuditEventsService;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    auditEvents = plans.service.app.get(AuditEventsService, { strict: false });
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
    await plans.testDatabase.query(
      `INSERT INTO audit_events (id, account_id, act, actor_kind, actor_id, target_kind, target_id, created_at)
       SELECT 'aud_' || lpad(to_hex(i), 26, '0'), CASE WHEN i % 2 = 0 THEN $1 ELSE 'acc_other' END, 'device.signed_in',
              'device', 'dev_' || i, 'device', 'dev_' || i, now() - i * interval '1 second'
         FROM generate_series(1, 120000) i`,
      [plans.ada.accountId],
    );
    await plans.testDatabase.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  const explain = (query: ListAuditEventsQueryDto) =>
    plans.explainStatement(() => auditEvents.listAuditEvents(plans.ada.accountId, query), 'audit_events');

  it.each<ListAuditEventsQueryDto>([
    {},
    { order: 'asc' },
    { since: Date.now() - 60_000_000, until: Date.now() - 40_000_000 },
    { until: Date.now() - 100_000_000 },
  ])('reads only one page of an index: %j', async (query) => {
    expectCheapPlan(await explain(query));
  });

  it('costs the same on page 1,000 as on page 1', async () => {
    const { nextCursor } = await auditEvents.listAuditEvents(plans.ada.accountId, {});
    const cursor = await plans.moveCursorToPage1000(nextCursor!, SELECT_KEYS);
    const [late, first] = [await explain({ cursor }), await explain({})];
    expectCheapPlan(late);
    expect(late.rows).toBeLessThanOrEqual(first.rows + 2);
    expect(late.blocks).toBeLessThanOrEqual(first.blocks + 10);
  });
});
