import { insertAccountsWithMachines, insertManyUsageCounts } from '../../../support/large-tables';
import { expectCheap, expectNoDearer, ListPlans } from '../../../support/list-plans';
import { describePostgres } from '../../../support/postgres';

const LIST = '/external/v1/usage';
const DAY = 86_400_000;
const ROWS_AN_HOUR = 50;
const HOURS = 1_100;

describePostgres('the list of usage, of 55,000 counts among 450,000', () => {
  let plans: ListPlans;

  beforeAll(async () => {
    plans = await ListPlans.start();
    await insertAccountsWithMachines(plans.database, 8);
    for (let n = 1; n <= 8; n++) {
      await insertManyUsageCounts(plans.database, `acc_${'0'.repeat(25)}${n}`, 1_000);
    }
    await insertManyUsageCounts(plans.database, plans.ada.accountId, HOURS);
    await plans.database.query('VACUUM ANALYZE');
  });
  afterAll(() => plans?.stop());

  it.each(['', '&groupBy=token', '&granularity=hour', '&groupBy=bucket,token,operation'])(
    'reads the counts of the account and the period, and no others: %s',
    async (query) => {
      const plan = await plans.of(`${LIST}?from=${Date.now() - 7 * DAY}${query}`, 'usage_counts');
      expect(plan.types).not.toContain('Seq Scan');
      expect(plan.rows).toBeLessThanOrEqual(8 * 24 * ROWS_AN_HOUR);
    },
  );

  it('reads no more of an index than a page needs, hour by hour', async () => {
    const from = Date.now() - 60 * DAY;
    for (const query of ['', '&order=asc', '&groupBy=bucket,token,operation']) {
      const plan = await plans.of(`${LIST}?granularity=hour&from=${from}&limit=20${query}`, 'usage_counts');
      expectCheap(plan);
    }
  });

  it('costs on page 1,000 what it costs on page 1', async () => {
    const list = `${LIST}?granularity=hour&groupBy=bucket,token,operation&from=${Date.now() - 60 * DAY}`;
    const cursor = await plans.cursorOfPage1000(
      list,
      `SELECT hour, bucket, token_id, operation FROM usage_counts WHERE account_id = '${plans.ada.accountId}'
        ORDER BY hour DESC, bucket DESC, token_id DESC, operation DESC`,
    );
    const late = await plans.of(`${list}&cursor=${cursor}`, 'usage_counts');
    expectNoDearer(late, await plans.of(list, 'usage_counts'));
  });
});
