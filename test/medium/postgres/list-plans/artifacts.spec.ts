import { insertManyArtifacts } from '../../../support/large-tables';
import { expectCheap, expectNoDearer, ListPlans } from '../../../support/list-plans';
import { describePostgres } from '../../../support/postgres';

const LIST = '/external/v1/artifacts';
const NEWEST = 'ORDER BY created_at DESC, id DESC';

describePostgres('the list of 60,000 artifacts', () => {
  let plans: ListPlans;
  let sessionId: string;

  beforeAll(async () => {
    plans = await ListPlans.start();
    sessionId = (await plans.ada.openSession(plans.ada)).id;
    await insertManyArtifacts(plans.database, plans.ada.accountId, sessionId, 60_000);
    await plans.database.query('ANALYZE');
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
  ])('reads no more of an index than a page needs: %s', async (query) => {
    expectCheap(await plans.of(LIST + query.replace('SESSION', sessionId), 'artifacts'));
  });

  it('costs on page 1,000 what it costs on page 1', async () => {
    const cursor = await plans.cursorOfPage1000(LIST, `SELECT created_at, id FROM artifacts ${NEWEST}`);
    const late = await plans.of(`${LIST}?cursor=${cursor}`, 'artifacts');
    expectNoDearer(late, await plans.of(LIST, 'artifacts'));
  });
});
