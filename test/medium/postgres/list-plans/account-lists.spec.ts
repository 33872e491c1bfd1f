import { insertAccountsWithMachines } from '../../../support/large-tables';
import { expectCheapPlan, ListPlanFixture } from '../../../support/list-plan-fixture';
import { describeWithPostgres } from '../../../support/postgres';

describeWithPostgres('lists that are small per account, in a database of 50,000 accounts', () => {
  let plans: ListPlanFixture;

  beforeAll(async () => {
    plans = await ListPlanFixture.start();
    await insertAccountsWithMachines(plans.testDatabase, 50_000);
    await plans.testDatabase.query(
      `INSERT INTO external_tokens (id, account_id, name, scopes, created_at)
       SELECT 'tok_' || substr(id, 5), id, 'ci', '{}', now() FROM accounts WHERE username LIKE 'user-%'`,
    );
    await plans.testDatabase.query(
      `INSERT INTO external_token_secrets (hash, token_id, prefix, last4, created_at)
       SELECT sha256(id::bytea), id, 'svc_pat_0000', '0000', now() FROM external_tokens
        WHERE NOT EXISTS (SELECT 1 FROM external_token_secrets WHERE token_id = external_tokens.id)`,
    );
    await plans.testDatabase.query(
      `INSERT INTO developer_apps (id, account_id, name, redirect_uris, state, created_at, updated_at)
       SELECT 'svc_oapp_' || substr(id, 5), id, 'app', '{}', 'active', now(), now() FROM accounts`,
    );
    await plans.testDatabase.query(
      `INSERT INTO developer_app_secrets (id, app_id, hash, last4, created_at)
       SELECT 'sec_' || substr(id, 10), id, sha256(id::bytea), '0000', now() FROM developer_apps`,
    );
    await plans.testDatabase.query(
      `INSERT INTO app_authorizations (id, account_id, app_id, scopes, created_at)
       SELECT 'aut_' || substr(id, 5), id, 'svc_oapp_' || substr(id, 5), '{}', now() FROM accounts`,
    );
    const device = await plans.ada.pairDevice('machine');
    await plans.service.http.post('/v1/machines', device.token, { name: 'box', platform: 'linux' });
    await plans.testDatabase.query('ANALYZE');
  });
  afterAll(() => plans?.stop());

  it.each([
    ['/external/v1/machines', 'machines'],
    ['/external/v1/machines?state=online', 'machines'],
    ['/external/v1/machines?state=offline&order=asc', 'machines'],
    ['/v1/devices', 'devices'],
    ['/v1/account/external-tokens', 'external_tokens'],
    ['/v1/developer/apps', 'developer_apps'],
    ['/v1/account/authorized-apps', 'app_authorizations'],
  ])('read only their own rows by an index: %s', async (path, table) => {
    expectCheapPlan(await plans.explainList(path, table));
  });
});
