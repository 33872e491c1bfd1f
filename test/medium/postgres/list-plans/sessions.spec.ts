import { insertManySessions } from '../../../support/large-tables';
import { expectCheap, expectNoDearer, ListPlans } from '../../../support/list-plans';
import { describePostgres } from '../../../support/postgres';

const LIST = '/external/v1/sessions';

describePostgres('the list of 100,000 sessions', () => {
  let plans: ListPlans;

  beforeAll(async () => {
    plans = await ListPlans.start();
    await insertManySessions(plans.database, plans.ada.accountId, 100_000);
    await plans.database.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  it.each([
    '',
    '?order=asc',
    '?state=ended',
    '?state=active&order=asc',
    '?tag=tag-77777',
    '?machineId=mch_00000000000000000000000000',
    '?createdUntil=1',
    '?createdSince=1',
    `?updatedSince=${Date.now() - 60_000}`,
  ])('reads no more of an index than a page needs: %s', async (query) => {
    expectCheap(await plans.of(LIST + query, 'sessions'));
  });

  it.each(['', 'state=ended', 'createdSince=1'])('costs on page 1,000 what it costs on page 1: %s', async (filter) => {
    const state = filter === 'state=ended' ? `WHERE state = 'ended'` : '';
    const key = `SELECT created_at, id FROM sessions ${state} ORDER BY created_at DESC, id DESC`;
    const cursor = await plans.cursorOfPage1000(`${LIST}?${filter}`, key);
    const late = await plans.of(`${LIST}?${filter}&cursor=${cursor}`, 'sessions');
    expectNoDearer(late, await plans.of(`${LIST}?${filter}`, 'sessions'));
  });
});
