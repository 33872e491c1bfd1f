import { insertManyArtifacts } from '../../../support/large-tables';
import { expectCheapPlan, expectNoCostlierPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';

const LIST = '/external/v1/artifacts';
const NEWEST = 'ORDER BY created_at DESC, id DESC';

describeWithPostgres('the list of 60,000 artifacts', () => {
  let plans: ListPlanFixture;
  let sessionId: string;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    sessionId = (await plans.ada.createSession(plans.ada)).id;
    await insertManyArtifacts(plans.testDatabase, plans.ada.accountId, sessionId, 60_000);
    await plans.testDatabase.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  it.each([
    '',
    '?order=asc',
    '?sessionId=SESSION',
    '?sessionId=SESSION&order=asc',
    '?sessionId=ses_00000000000000000000000000',
    '?sessionId=SESSION&mediaType=image/png',
    '?mediaType=text/plain',
    '?mediaType=text/csv',
    '?createdSince=1',
    `?createdSince=${Date.now() - 60_000}&order=asc`,
    `?updatedSince=${Date.now() - 60_000}`,
    `?mediaType=image/png&updatedSince=${Date.now() - 60_000}`,
  ])('reads only one page of an index: %s', async (query) => {
    expectCheapPlan(await plans.explainList(LIST + query.replace('SESSION', sessionId), 'artifacts'));
  });

  it('costs the same on page 1,000 as on page 1', async () => {
    const cursor = await plans.createCursorOfPage1000(LIST, `SELECT created_at, id FROM artifacts ${NEWEST}`);
    const late = await plans.explainList(`${LIST}?cursor=${cursor}`, 'artifacts');
    expectNoCostlierPlan(late, await plans.explainList(LIST, 'artifacts'));
  });
});
