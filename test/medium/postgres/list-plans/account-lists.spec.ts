import { insertAccountsWithMachines } from '../../../support/large-tables';
import { expectCheap, ListPlans } from '../../../support/list-plans';
import { describePostgres } from '../../../support/postgres';

describePostgres('lists that are small per account, in a database of 50,000 accounts', () => {
  let plans: ListPlans;

  beforeAll(async () => {
    plans = await ListPlans.start();
    await insertAccountsWithMachines(plans.database, 50_000);
    await plans.database.query(
      `INSERT INTO external_tokens (id, account_id, name, scopes, created_at)
       SELECT 'tok_' || substr(id, 5), id, 'ci', '{}', now() FROM accounts WHERE username LIKE 'user-%'`,
    );
    await plans.database.query(
      `INSERT INTO external_token_secrets (hash, token_id, prefix, last4, created_at)
       SELECT sha256(id::bytea), id, 'svc_pat_0000', '0000', now() FROM external_tokens
        WHERE NOT EXISTS (SELECT 1 FROM external_token_secrets WHERE token_id = external_tokens.id)`,
    );
    const device = await plans.ada.adopt('machine');
    await plans.service.http.post('/v1/machines', device.token, { name: 'box', platform: 'linux' });
    await plans.database.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  it.each([
    ['/external/v1/machines', 'machines'],
    ['/external/v1/machines?state=online', 'machines'],
    ['/external/v1/machines?state=offline&order=asc', 'machines'],
    ['/v1/devices', 'devices'],
    ['/v1/account/external-tokens', 'external_tokens'],
  ])('read their own rows by an index: %s', async (path, table) => {
    expectCheap(await plans.of(path, table));
  });
});
