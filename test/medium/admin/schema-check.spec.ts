import { runAdminProgram } from '../../support/admin-cli';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';

const CHANGES = [
  'DROP INDEX messages_turn_idx',
  'ALTER TABLE machines ALTER name TYPE varchar(300)',
  'ALTER TABLE sessions ALTER tag DROP NOT NULL',
  'ALTER TABLE webhook_outbox RESET (autovacuum_vacuum_threshold)',
  "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'accounts_suspended_idx'::regclass",
  'ALTER TABLE messages DISABLE TRIGGER ALL',
  'DROP TRIGGER webhook_endpoint_queues_cleanup ON webhook_endpoint_queues',
  'DROP VIEW webhook_lanes',
  'CREATE UNIQUE INDEX turns_own_key ON turns (id)',
];
const ALLOWED_CHANGES = [
  'CREATE INDEX accounts_own_idx ON accounts (created_at)',
  'CREATE TABLE notes (id int PRIMARY KEY)',
  'ALTER TABLE accounts SET (fillfactor = 80)',
];
/** The name of a check constraint of the schema. */
const ANY_CHECK = `SELECT conname AS name, conrelid::regclass::text AS "table" FROM pg_constraint
  WHERE contype = 'c' AND connamespace = 'public'::regnamespace ORDER BY 1 LIMIT 1`;

describeWithPostgres('npm run admin -- migrate --check', () => {
  let testDatabase: TestDatabase;
  beforeEach(async () => {
    testDatabase = await createMigratedDatabase();
  });
  afterEach(() => testDatabase.dropDatabase());

  const check = (...args: string[]) => runAdminProgram(testDatabase.env, 'migrate', '--check', ...args);

  it('accepts daily partitions, and what an operator may add', async () => {
    await testDatabase.query(`CREATE TABLE webhook_attempts_20260131 PARTITION OF webhook_attempts
      FOR VALUES FROM ('2026-01-31') TO ('2026-02-01')`);
    expect(await check('--json')).toEqual({ code: 0, stdout: '{"drift":false,"differences":[]}\n', stderr: '' });
    for (const sql of ALLOWED_CHANGES) await testDatabase.query(sql);
    const { code, stdout } = await check();
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'extra (allowed): index accounts_own_idx of table accounts: found CREATE INDEX accounts_own_idx ON accounts ' +
        'USING btree (created_at)',
      'extra (allowed): parameter fillfactor of table accounts: found 80',
      'extra (allowed): table notes: found table',
      'The database has the schema of the migrations.',
    ]);
  });

  it('names what is missing, changed, invalid and extra, and how to repair it', async () => {
    const [constraint] = await testDatabase.query<{ name: string; table: string }>(ANY_CHECK);
    await testDatabase.query(`ALTER TABLE ${constraint!.table} DROP CONSTRAINT ${constraint!.name}`);
    for (const sql of CHANGES) await testDatabase.query(sql);
    const { code, stdout, stderr } = await check();
    expect([code, stderr]).toEqual([1, expect.stringContaining('error: The schema has drifted')]);
    const lines = stdout.trimEnd().split('\n');
    const findLine = (start: string) => lines.find((line) => line.startsWith(start));
    expect(findLine('missing: index messages_turn_idx of table messages')).toMatch(
      / Repair: CREATE INDEX CONCURRENTLY messages_turn_idx ON messages /,
    );
    expect(findLine(`missing: constraint ${constraint!.name} of table ${constraint!.table}`)).toMatch(
      / Repair: ALTER TABLE \w+ ADD CONSTRAINT \w+ CHECK .* NOT VALID; ALTER TABLE \w+ VALIDATE CONSTRAINT /,
    );
    expect(findLine('invalid: index accounts_suspended_idx of table accounts')).toMatch(
      / Repair: REINDEX INDEX CONCURRENTLY accounts_suspended_idx$/,
    );
    expect(lines).toEqual(
      expect.arrayContaining([
        'changed: column name of table machines: found character varying(300) NOT NULL, expected text NOT NULL',
        'changed: column tag of table sessions: found text, expected text NOT NULL',
        'missing: parameter autovacuum_vacuum_threshold of table webhook_outbox: expected 2000',
        expect.stringMatching(/^changed: constraint messages_session_id_fkey of .* found FOREIGN KEY .* DISABLED, /),
        expect.stringMatching(/^missing: trigger webhook_endpoint_queues_cleanup of table webhook_endpoint_queues: /),
        expect.stringMatching(/^missing: view webhook_lanes: /),
        expect.stringMatching(/^extra: index turns_own_key of table turns: found CREATE UNIQUE INDEX /),
      ]),
    );
    expect(lines).toHaveLength(CHANGES.length + 1);
  });

  it('refuses a database with other migrations', async () => {
    await testDatabase.query(`INSERT INTO migrations (timestamp, name) VALUES (1, 'OfALaterRelease1')`);
    expect((await check()).stderr).toMatch(/^error: The schema can only be compared .*: OfALaterRelease1\.\n$/);
    await testDatabase.query(
      `DELETE FROM migrations WHERE name IN ('OfALaterRelease1', 'CreateServiceModes1795470810000')`,
    );
    expect(await check()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('CreateServiceModes') });
  });
});
