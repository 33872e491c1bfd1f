import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from '../../../migrations';
import { migratePostgres } from '../../../src/core/database/migrate-postgres';
import { createTestDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';

const RENAMED_AT = migrations.findIndex(({ name }) => name.startsWith('RenameWebhookQueueTables'));
const OWNER = 'ins_1';

/** Statements of the previous release. */
const QUEUE_COLUMNS = 'webhook_id, owner, lease, failures, failing_since, probe_at';
const UNLEASED = `(l.leased_until IS NULL OR l.leased_until < clock_timestamp())`;
const DUE = `(SELECT greatest(d.next_attempt_at, l.probe_at) FROM webhook_deliveries d
  WHERE d.webhook_id = l.webhook_id AND d.state = 'pending'
    AND EXISTS (SELECT 1 FROM webhooks w WHERE w.id = l.webhook_id AND w.state = 'active')
  ORDER BY d.next_attempt_at, d.id LIMIT 1)`;
const PREVIOUS = {
  insert: 'INSERT INTO webhook_lanes (webhook_id) VALUES ($1)',
  lock: `SELECT ${QUEUE_COLUMNS} FROM webhook_lanes WHERE webhook_id = ANY($1) ORDER BY webhook_id FOR UPDATE`,
  refreshDue: `UPDATE webhook_lanes l SET due_at = ${DUE} WHERE webhook_id = ANY($1)`,
  lease: `UPDATE webhook_lanes SET owner = $1, lease = lease + 1,
              leased_until = clock_timestamp() + $4 * interval '1 millisecond'
        WHERE webhook_id = ANY(ARRAY(
          SELECT l.webhook_id FROM webhook_lanes l WHERE l.due_at <= $2 AND ${UNLEASED}
           ORDER BY l.probe_at IS NOT NULL, l.leased_until NULLS FIRST, l.due_at LIMIT $3 FOR UPDATE SKIP LOCKED))
        RETURNING ${QUEUE_COLUMNS}`,
  extend: `UPDATE webhook_lanes SET leased_until = clock_timestamp() + $3 * interval '1 millisecond'
        WHERE webhook_id = $1 AND lease = $2 RETURNING 1`,
  release: `UPDATE webhook_lanes SET owner = NULL, leased_until = clock_timestamp() - interval '1 millisecond'
        WHERE webhook_id = $1 RETURNING due_at`,
  releaseAll: 'UPDATE webhook_lanes SET owner = NULL, leased_until = NULL WHERE owner IS NOT NULL',
  saveOutcomes: `UPDATE webhook_lanes l SET failures = o.failures, failing_since = o.failing_since,
              probe_at = o.probe_at, last_delivery_at = o.at, last_delivery_status = o.status
         FROM unnest($1::text[], $2::integer[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::integer[])
                AS o(webhook_id, failures, failing_since, probe_at, at, status)
        WHERE l.webhook_id = o.webhook_id`,
  reset: 'UPDATE webhook_lanes SET failures = 0, failing_since = NULL, probe_at = NULL WHERE webhook_id = $1',
  findStale: `SELECT l.webhook_id FROM webhook_lanes l WHERE ${UNLEASED} AND l.due_at IS DISTINCT FROM ${DUE} LIMIT $1`,
  findLeased: `SELECT w.* FROM webhooks w JOIN webhook_lanes l ON l.webhook_id = w.id WHERE w.id = $1 AND l.lease = $2`,
  list: `SELECT w.*, l.failing_since, l.last_delivery_at, l.last_delivery_status
  FROM webhooks w JOIN webhook_lanes l ON l.webhook_id = w.id WHERE w.account_id = $1`,
  delete: 'DELETE FROM webhooks WHERE id = $1',
  findDeleted: 'SELECT webhook_id FROM webhook_remains ORDER BY deleted_at LIMIT 1',
  removeDeleted: `DELETE FROM webhook_remains WHERE webhook_id = $1
          AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1)
          AND NOT EXISTS (SELECT 1 FROM webhook_attempts WHERE webhook_id = $1)
        RETURNING 1`,
};

/** Everything in the catalog that has a name, except for row types. */
const OBJECT_NAMES = `
  SELECT relkind::text || ' ' || relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
   UNION ALL SELECT 'constraint ' || conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace
   UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal
   UNION ALL SELECT 'function ' || prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
   UNION ALL SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
   ORDER BY 1`;

/** Expand and contract (migrations/README.md): `previous-release.spec.ts` runs the whole previous release. */
describeWithPostgres('the renamed webhook tables', () => {
  let testDatabase: TestDatabase;
  let previous: Client;
  beforeEach(async () => {
    testDatabase = await createTestDatabase();
    await migratePostgres(testDatabase.url, { migrations: migrations.slice(0, RENAMED_AT) });
    await testDatabase.query(
      `INSERT INTO accounts (id, username, content_public_key, created_at) VALUES ('acc_1', 'ada', '{}', now())`,
    );
    previous = new Client({ connectionString: testDatabase.url });
    await previous.connect();
  });
  afterEach(async () => {
    await previous.end();
    await testDatabase.dropDatabase();
  });

  const migrate = () => migratePostgres(testDatabase.url, { migrations: migrations.slice(0, RENAMED_AT + 1) });
  const readNames = async () => (await testDatabase.query<{ name: string }>(OBJECT_NAMES)).map(({ name }) => name);
  const run = async (statement: keyof typeof PREVIOUS, ...parameters: unknown[]) => {
    const { rows } = await previous.query(PREVIOUS[statement], parameters);
    return rows as Record<string, unknown>[];
  };
  const insertWebhook = async (id: string) => {
    await testDatabase.query(
      `INSERT INTO webhooks (id, account_id, url, events, scopes, secret, created_at, updated_at)
       VALUES ($1, 'acc_1', 'https://example.com', '{*}', '{}', '', now(), now())`,
      [id],
    );
    await run('insert', id);
    await testDatabase.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, payload, next_attempt_at, created_at)
       VALUES ('dlv_' || $1, $1, 'evt_1', 'session.created', '{}', now(), now())`,
      [id],
    );
    await run('refreshDue', [id]);
  };
  const readQueue = async (id: string) =>
    (await testDatabase.query('SELECT * FROM webhook_endpoint_queues WHERE webhook_id = $1', [id]))[0];

  it('have no object under an old name but the two views, and get all old names back on revert', async () => {
    const before = await readNames();
    await migrate();
    const after = await readNames();
    expect(after.filter((name) => /lanes|remains/.test(name))).toEqual(['v webhook_lanes', 'v webhook_remains']);
    expect(after.length).toBe(before.length + 2);

    const dataSource = new DataSource({
      type: 'postgres',
      url: testDatabase.url,
      migrations: migrations.slice(0, RENAMED_AT + 1),
    });
    await dataSource.initialize();
    await dataSource.undoLastMigration();
    await dataSource.destroy();
    expect(await readNames()).toEqual(before);
    await insertWebhook('whk_1');
    await run('delete', 'whk_1');
    expect(await run('findDeleted')).toEqual([{ webhook_id: 'whk_1' }]);
  });

  it('keep their rows, which both releases read', async () => {
    await insertWebhook('whk_1');
    await run('lease', OWNER, new Date(), 10, 60_000);
    const [leased] = await testDatabase.query('SELECT * FROM webhook_lanes');
    await migrate();
    expect(await readQueue('whk_1')).toMatchObject(leased!);
    expect(await testDatabase.query('SELECT * FROM webhook_lanes')).toEqual([leased]);
  });

  it('accept every statement of the previous release on endpoint queues', async () => {
    await migrate();
    await insertWebhook('whk_1');
    expect(await readQueue('whk_1')).toMatchObject({ lease: '0', failures: 0, due_at: expect.any(Date) });
    expect(await run('lock', ['whk_1'])).toMatchObject([{ webhook_id: 'whk_1', owner: null, lease: '0' }]);
    expect(await run('lease', OWNER, new Date(), 10, 60_000)).toMatchObject([{ webhook_id: 'whk_1', lease: '1' }]);
    expect(await run('lease', 'ins_2', new Date(), 10, 60_000)).toEqual([]);
    expect(await run('extend', 'whk_1', '1', 60_000)).toHaveLength(1);
    expect(await run('extend', 'whk_1', '0', 60_000)).toHaveLength(0);
    expect(await run('findLeased', 'whk_1', '1')).toHaveLength(1);
    const at = new Date();
    await run('saveOutcomes', ['whk_1'], [10], [at], [at], [at], [500]);
    expect(await readQueue('whk_1')).toMatchObject({ owner: OWNER, failures: 10, last_delivery_status: 500 });
    expect(await run('list', 'acc_1')).toMatchObject([{ id: 'whk_1', last_delivery_status: 500, failing_since: at }]);
    await run('reset', 'whk_1');
    expect(await readQueue('whk_1')).toMatchObject({ failures: 0, failing_since: null, probe_at: null });
    expect(await run('release', 'whk_1')).toEqual([{ due_at: expect.any(Date) }]);
    await testDatabase.query('UPDATE webhook_endpoint_queues SET due_at = NULL');
    expect(await run('findStale', 10)).toEqual([{ webhook_id: 'whk_1' }]);
    await testDatabase.query('UPDATE webhook_endpoint_queues SET owner = $1', [OWNER]);
    await run('releaseAll');
    expect(await readQueue('whk_1')).toMatchObject({ owner: null, leased_until: null });
  });

  it('accept every statement of the previous release on deleted webhooks', async () => {
    await migrate();
    await insertWebhook('whk_1');
    await run('delete', 'whk_1');
    expect(await testDatabase.query('SELECT webhook_id FROM webhook_cleanup_queue')).toEqual([{ webhook_id: 'whk_1' }]);
    expect(await run('findDeleted')).toEqual([{ webhook_id: 'whk_1' }]);
    expect(await run('removeDeleted', 'whk_1')).toHaveLength(0);
    await testDatabase.query('DELETE FROM webhook_deliveries');
    expect(await run('removeDeleted', 'whk_1')).toHaveLength(1);
    expect(await testDatabase.query('SELECT webhook_id FROM webhook_cleanup_queue')).toEqual([]);
  });

  it('are locked for both releases by either of them', async () => {
    await migrate();
    await insertWebhook('whk_1');
    const skipLocked = (table: string) =>
      testDatabase.query(`SELECT webhook_id FROM ${table} WHERE webhook_id = 'whk_1' FOR UPDATE SKIP LOCKED`);
    await previous.query('BEGIN');
    await run('lock', ['whk_1']);
    expect(await skipLocked('webhook_endpoint_queues')).toEqual([]);
    await previous.query('ROLLBACK; BEGIN');
    await previous.query(`SELECT 1 FROM webhook_endpoint_queues WHERE webhook_id = 'whk_1' FOR UPDATE`);
    expect(await skipLocked('webhook_lanes')).toEqual([]);
    await previous.query('ROLLBACK');
    expect(await skipLocked('webhook_lanes')).toHaveLength(1);
  });
});
