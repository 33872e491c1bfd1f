import { Client } from 'pg';
import { migratePostgres } from '../../src/persistence/migrate-postgres';
import { POSTGRES_URL } from './backend';
import { ensureBuilt } from './ensure-built';

const SESSION = 'external-api e2e ';

/** Databases of runs that no longer hold their session. A session has a `datname` too: its own database's. */
const ORPHANS = `SELECT d.datname AS name FROM pg_database d
  WHERE d.datname ~ '^external_api_e2e_[0-9]+_' AND NOT EXISTS (
    SELECT 1 FROM pg_stat_activity s WHERE s.application_name = $1 || split_part(d.datname, '_', 4))`;

let session: Client | undefined;

/**
 * Makes one migrated database for all test files to copy. A session that stays open to the end says that the run
 * lives, so that the next one can drop what a killed run left behind, whichever machine it ran on.
 */
export default async function setup(): Promise<void> {
  await ensureBuilt();
  const run = String(process.pid);
  session = new Client({ connectionString: POSTGRES_URL, application_name: SESSION + run });
  session.on('error', () => undefined);
  await session.connect();
  const { rows } = await session.query<{ name: string }>(ORPHANS, [SESSION]);
  for (const { name } of rows) await session.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);

  const template = `external_api_e2e_${run}_template`;
  await session.query(`CREATE DATABASE ${template}`);
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${template}`;
  await migratePostgres(url.href);
  process.env.TEST_RUN = run;
}

export async function teardown(): Promise<void> {
  await session?.query(`DROP DATABASE IF EXISTS external_api_e2e_${process.pid}_template WITH (FORCE)`);
  await session?.end();
}
