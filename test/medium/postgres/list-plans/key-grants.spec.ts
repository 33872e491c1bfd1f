import { expectCheapPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';

describeWithPostgres('key grants, of which there are 50,000', () => {
  let plans: ListPlanFixture;
  let sessionId: string;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    const { ada, testDatabase: database } = plans;
    sessionId = (await ada.createSession(ada)).id;
    const elsewhere = (await ada.createSession(ada)).id;
    await database.query(
      `INSERT INTO key_grants
         (id, account_id, session_id, recipient_key_id, recipient_thumbprint, sealed_key, created_at)
       SELECT 'grt_' || lpad(to_hex(i), 26, '0'), $1, CASE WHEN i % 5 = 0 THEN $2 ELSE $3 END, 'k', i::text, 's',
              now() - i * interval '1 second' FROM generate_series(1, 50000) i`,
      [ada.accountId, sessionId, elsewhere],
    );
    await database.query(
      `INSERT INTO external_tokens (id, account_id, name, scopes, created_at)
       SELECT 'tok_' || lpad(to_hex(i), 26, '0'), $1, 'ci', '{}', now() FROM generate_series(1, 20000) i`,
      [ada.accountId],
    );
    await database.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  it('are listed by an index, regardless of their number', async () => {
    expectCheapPlan(await plans.explainList(`/v1/sessions/${sessionId}/key-grants`, 'key_grants'));
    expectCheapPlan(await plans.explainList(`/v1/sessions/${sessionId}/key-grants?order=asc`, 'key_grants'));
  });
});
