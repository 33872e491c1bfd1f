import { insertManySessions } from '../../../support/large-tables';
import { expectCheapPlan, expectNoCostlierPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';

const LIST = '/external/v1/sessions';

describeWithPostgres('the list of 100,000 sessions', () => {
  let plans: ListPlanFixture;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    await insertManySessions(plans.testDatabase, plans.ada.accountId, 100_000);
    await plans.testDatabase.query('ANALYZE');
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
  ])('reads only one page of an index: %s', async (query) => {
    expectCheapPlan(await plans.explainList(LIST + query, 'sessions'));
  });

  it.each(['', 'state=ended', 'createdSince=1'])('costs the same on page 1,000 as on page 1: %s', async (filter) => {
    const state = filter === 'state=ended' ? `WHERE state = 'ended'` : '';
    const key = `SELECT created_at, id FROM sessions ${state} ORDER BY created_at DESC, id DESC`;
    const cursor = await plans.createCursorOfPage1000(`${LIST}?${filter}`, key);
    const late = await plans.explainList(`${LIST}?${filter}&cursor=${cursor}`, 'sessions');
    expectNoCostlierPlan(late, await plans.explainList(`${LIST}?${filter}`, 'sessions'));
  });
});
