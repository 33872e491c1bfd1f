import { Client } from 'pg';
import { generateId } from '../../../src/common/ids';
import { readForeignKeys, UnitOfWork } from '../../../src/core/database';
import { AccountDeletionService, AccountsService } from '../../../src/modules/accounts';
import { createBackend, type Backend } from '../../support/backend';
import { findTablesContaining, queryDatabase, waitForAccountCleanup } from '../../support/database';
import { DeviceSession } from '../../support/device/device-session';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { insertManySessions, insertManyUsageCounts } from '../../support/large-tables';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { describeWithServices } from '../../support/postgres';
import { Service } from '../../support/service';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';

/** Several batches of sessions, messages and usage counts. */
const SESSION_COUNT = 1_200;
const AUTHORIZATION_COUNT = 1_200;
const ENV = { LOG_LEVEL: 'silent', RATE_LIMIT_ADDRESS: '10000' };

describeWithServices('the deletion of an account', () => {
  let backend: Backend;
  let a: Service;
  let b: Service;
  let ada: ForeignAccountDevice;
  let client: Client;
  let late: Client;

  beforeAll(async () => {
    backend = await createBackend('services');
    [a, b] = await Promise.all([Service.start(ENV, backend), Service.start(ENV, backend)]);
  });
  afterAll(async () => {
    await b?.app.close();
    await a?.stop();
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(a.http);
    [client, late] = await Promise.all([connect(), connect()]);
  });
  afterEach(() => Promise.all([client.end(), late.end()]));

  const connect = async () => {
    const connection = new Client({ connectionString: backend.env.DATABASE_URL });
    await connection.connect();
    return connection;
  };
  const deleteAccount = (at: { http: Service['http'] }) => at.http.delete('/v1/account', ada.token);
  const expectNothingLeft = async () => {
    await waitForAccountCleanup(a);
    expect(await findTablesContaining(a, ada.accountId)).toEqual([]);
  };
  const insertManyRows = async () => {
    const database = {
      query: async <Row>(sql: string, parameters?: unknown[]) => queryDatabase<Row>(a, sql, parameters),
    };
    await insertManySessions(database, ada.accountId, SESSION_COUNT);
    await insertManyUsageCounts(database, ada.accountId, 30);
    await client.query(
      `INSERT INTO messages (id, session_id, seq, local_id, role, key_id, content, size_bytes, created_at)
       SELECT 'msg_0' || substr(md5(s.id || n), 1, 25), s.id, n, 'local-' || n, 'user', 'k', 'c', 1, now()
         FROM sessions s, generate_series(1, 2) n WHERE s.account_id = $1`,
      [ada.accountId],
    );
  };
  const insertSession = (connection: Client) =>
    connection.query(
      `INSERT INTO sessions (id, account_id, tag, data_key_id, sealed_data_key, created_at, updated_at, last_active_at)
       VALUES ($1, $2, 'late', 'k', 's', now(), now(), now())`,
      [generateId('ses'), ada.accountId],
    );
  /** Locks a session in a transaction, which the cleanup waits for. */
  const lockSession = async () => {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM sessions WHERE account_id = $1 LIMIT 1 FOR UPDATE', [ada.accountId]);
  };

  it('finds all foreign keys', async () => {
    const [row] = await queryDatabase<{ count: number }>(
      a,
      `SELECT count(*)::int AS count FROM pg_constraint WHERE contype = 'f' AND conparentid = 0`,
    );
    expect(await readForeignKeys(a.app.get(UnitOfWork))).toHaveLength(row!.count);
  });

  it('leaves nothing of devices that write meanwhile, and fails none of their calls', async () => {
    const machine = await ada.pairDevice('machine');
    const sessions = await Promise.all(Array.from({ length: 4 }, () => DeviceSession.createSession(ada, machine)));
    const statuses = new Set<number>();
    const write = async (session: DeviceSession) => {
      for (let n = 0; !statuses.has(401); n++) {
        statuses.add((await session.postMessages([session.encryptMessage(`local-${n}`)])).status);
        const body = { tag: `${session.tag}-${n}`, dataKey: { kid: 'k', sealed: ada.createDataKey().sealed } };
        statuses.add((await b.http.post('/v1/sessions', machine.token, body)).status);
      }
    };
    const writing = Promise.all(sessions.map(write));
    await waitFor(() => expect(statuses).toContain(201));
    expectStatus(await deleteAccount(a), 204);
    await writing;
    expect([...statuses].filter((status) => ![201, 401].includes(status))).toEqual([]);
    await expectNothingLeft();
  });

  it('waits for a transaction of before, without blocking other accounts', async () => {
    const eve = await ForeignAccountDevice.signUp(b.http);
    await client.query('BEGIN');
    await insertSession(client);
    const deletion = deleteAccount(a);
    await waitFor(async () => expectStatus(await b.http.get('/v1/account', ada.token), 401));
    const locked = b.app
      .get(UnitOfWork)
      .runInTransaction(() => b.app.get(AccountsService).lockExistingAccounts([ada.accountId, eve.accountId]));
    expect([...(await locked)]).toEqual([eve.accountId]);
    await client.query('COMMIT');
    expectStatus(await deletion, 204);
    await expectNothingLeft();
  });

  it('leaves nothing of an act whose transaction it found no row of', async () => {
    await ada.createSession(ada);
    await lockSession();
    expectStatus(await deleteAccount(a), 204);
    await late.query('BEGIN');
    await insertSession(late);
    await late.query(
      `INSERT INTO audit_events (id, account_id, act, actor_kind, target_kind, created_at)
       VALUES ($1, $2, 'token.created', 'service', 'token', now())`,
      [generateId('aud'), ada.accountId],
    );
    await client.query('COMMIT');
    const waiting = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'DELETE FROM accounts%'`;
    await waitFor(async () => expect((await client.query(waiting)).rows).not.toEqual([]), 20_000);
    await late.query('COMMIT');
    await expectNothingLeft();
  });

  it('frees the username and the keys, and hides the apps, before the records are deleted', async () => {
    const bob = await ForeignAccountDevice.signUp(a.http);
    const app = await ThirdPartyApp.register(ada);
    const tokens = await app.obtainTokens(a, bob);
    await ada.createSession(ada);
    await lockSession();
    expectStatus(await deleteAccount(a), 204);
    expectStatus(await ada.requestSignUp(ada.username), 201);
    await waitFor(async () => expectStatus(await a.http.get('/external/v1/me', tokens.access_token), 401));
    expect(expectStatus(await a.http.get('/v1/account/authorized-apps', bob.token), 200).data).toEqual([]);
    const pending = await client.query('SELECT 1 FROM accounts WHERE id = $1', [ada.accountId]);
    expect(pending.rows).toHaveLength(1);
    await client.query('COMMIT');
    await expectNothingLeft();
  });

  it('ends authorizations of apps in batches', async () => {
    const bob = await ForeignAccountDevice.signUp(a.http);
    const app = await ThirdPartyApp.register(bob);
    await client.query(
      `WITH apps AS (
         INSERT INTO developer_apps
         SELECT (jsonb_populate_record(d, jsonb_build_object('id', 'app_0' || substr(md5(d.id || n), 1, 25)))).*
           FROM developer_apps d, generate_series(1, $3::int) n WHERE d.id = $2 RETURNING id)
       INSERT INTO app_authorizations (id, account_id, app_id, scopes, created_at)
       SELECT 'auz_0' || substr(md5(id), 1, 25), $1, id, '{}', now() FROM apps`,
      [ada.accountId, app.clientId, AUTHORIZATION_COUNT],
    );
    await client.query('CREATE TABLE deletions (count int)');
    await client.query(`
      CREATE FUNCTION count_deletions() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO deletions SELECT count(*) FROM deleted; RETURN NULL; END $$`);
    await client.query(`
      CREATE TRIGGER count_deletions AFTER DELETE ON app_authorizations REFERENCING OLD TABLE AS deleted
        FOR EACH STATEMENT EXECUTE FUNCTION count_deletions()`);
    expectStatus(await deleteAccount(a), 204);
    const { rows } = await client.query<{ count: number }>('SELECT count FROM deletions WHERE count > 0');
    await client.query('DROP FUNCTION count_deletions CASCADE');
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(AUTHORIZATION_COUNT);
    expect(Math.max(...rows.map(({ count }) => count))).toBeLessThanOrEqual(500);
    await expectNothingLeft();
  });

  it('is done by several instances at once', async () => {
    await insertManyRows();
    await Promise.all([a, b].map(({ app }) => app.get(AccountDeletionService).deleteAccountWithRecords(ada.accountId)));
    expect(await findTablesContaining(a, ada.accountId)).toEqual([]);
  });

  it('is continued by another instance after the first was killed', async () => {
    await insertManyRows();
    const instance = await ServiceProcess.start({ ...backend.env, ...ENV });
    await lockSession();
    expectStatus(await deleteAccount(instance), 204);
    const countRows = async () => {
      const { rows } = await client.query('SELECT count(*)::int AS count FROM messages', []);
      return rows[0].count as number;
    };
    await waitFor(async () => expect(await countRows()).toBeLessThan(2 * SESSION_COUNT));
    await instance.stop('SIGKILL');
    expect(await countRows()).toBeGreaterThan(0);
    await client.query('COMMIT');
    await expectNothingLeft();
  });
});
