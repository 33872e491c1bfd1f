import { insertAccountsWithMachines, insertManyUsageCounts } from '../../../support/large-tables';
import { expectCheapPlan, expectNoCostlierPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';

const LIST = '/external/v1/usage';
const DAY = 86_400_000;
const ROWS_AN_HOUR = 50;
const HOURS = 1_100;
/** The calls of this test are counted as well: at most one row per operation. */
const OWN_ROWS = 20;

describeWithPostgres('the list of usage, of 55,000 counts among 450,000', () => {
  let plans: ListPlanFixture;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    await insertAccountsWithMachines(plans.testDatabase, 8);
    for (let n = 1; n <= 8; n++) {
      await insertManyUsageCounts(plans.testDatabase, `acc_${'0'.repeat(25)}${n}`, 1_000);
    }
    await insertManyUsageCounts(plans.testDatabase, plans.ada.accountId, HOURS);
    await plans.testDatabase.query('VACUUM ANALYZE');
  });
  afterAll(() => plans?.stop());

  it.each(['', '&groupBy=token', '&granularity=hour', '&groupBy=bucket,token,operation'])(
    'reads only the counts of the account and the period: %s',
    async (query) => {
      const listPlan = await plans.explainList(`${LIST}?from=${Date.now() - 7 * DAY}${query}`, 'usage_counts');
      expect(listPlan.types).not.toContain('Seq Scan');
      expect(listPlan.rows).toBeLessThanOrEqual(8 * 24 * ROWS_AN_HOUR + OWN_ROWS);
    },
  );

  it('reads only one page of an index per hour', async () => {
    const from = Date.now() - 60 * DAY;
    for (const query of ['', '&order=asc', '&groupBy=bucket,token,operation']) {
      const listPlan = await plans.explainList(
        `${LIST}?granularity=hour&from=${from}&limit=20${query}`,
        'usage_counts',
      );
      expectCheapPlan(listPlan);
    }
  });

  it('costs the same on page 1,000 as on page 1', async () => {
    const list = `${LIST}?granularity=hour&groupBy=bucket,token,operation&from=${Date.now() - 60 * DAY}`;
    const cursor = await plans.createCursorOfPage1000(
      list,
      `SELECT hour, bucket, token_id, operation FROM usage_counts WHERE account_id = '${plans.ada.accountId}'
        ORDER BY hour DESC, bucket DESC, token_id DESC, operation DESC`,
    );
    const late = await plans.explainList(`${list}&cursor=${cursor}`, 'usage_counts');
    expectNoCostlierPlan(late, await plans.explainList(list, 'usage_counts'));
  });
});
