import { Client } from 'pg';
import { POSTGRES_URL } from '../../support/backend';
import { describeWithPostgres } from '../../support/postgres';
import { provideDatabaseTemplate, TEMPLATE_LOCK_ID } from '../../support/postgres-template';

const DAY_MS = 86_400_000;

describeWithPostgres('the migrated template database', () => {
  let session: Client;
  beforeAll(async () => {
    session = new Client({ connectionString: POSTGRES_URL });
    await session.connect();
  });
  afterAll(() => session?.end());

  const findTemplate = async (name: string) => {
    const { rows } = await session.query<{ oid: number }>('SELECT oid FROM pg_database WHERE datname = $1', [name]);
    return rows[0]?.oid;
  };
  const createTemplateUsedAt = async (name: string, usedAt: number) => {
    await session.query(`CREATE DATABASE ${name}`);
    await session.query(`COMMENT ON DATABASE ${name} IS '${new Date(usedAt).toISOString()}'`);
  };

  it('is migrated, and the same for the next run', async () => {
    const name = await provideDatabaseTemplate(session);
    const oid = await findTemplate(name);
    expect(await provideDatabaseTemplate(session)).toBe(name);
    expect(await findTemplate(name)).toBe(oid);

    // A connection to the template itself would keep concurrent tests from copying it.
    const copy = `external_api_medium_${process.pid}_template_copy`;
    await session.query(`CREATE DATABASE ${copy} TEMPLATE ${name}`);
    try {
      const url = new URL(POSTGRES_URL);
      url.pathname = `/${copy}`;
      const client = new Client({ connectionString: url.href });
      await client.connect();
      const { rows } = await client.query('SELECT * FROM accounts');
      await client.end();
      expect(rows).toEqual([]);
    } finally {
      await session.query(`DROP DATABASE ${copy} WITH (FORCE)`);
    }
  });

  it('is dropped when no run has used it for a day', async () => {
    const unused = `external_api_template_test_unused_${process.pid}`;
    const recent = `external_api_template_test_recent_${process.pid}`;
    await session.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK_ID]);
    try {
      await createTemplateUsedAt(unused, Date.now() - DAY_MS - 60_000);
      await createTemplateUsedAt(recent, Date.now() - DAY_MS / 2);
      await provideDatabaseTemplate(session);
      expect(await findTemplate(unused)).toBeUndefined();
      expect(await findTemplate(recent)).toBeDefined();
    } finally {
      for (const name of [unused, recent]) await session.query(`DROP DATABASE IF EXISTS ${name}`);
      await session.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK_ID]);
    }
  });
});
