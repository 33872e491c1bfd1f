import { Client } from 'pg';
import { migratePostgres } from '../../src/core/database/migrate-postgres';
import { POSTGRES_URL } from './backend';
import { ensureServiceBuilt } from './ensure-service-built';

const RUN_SESSION_PREFIX = 'external-api e2e ';

/** Selects databases of runs whose marker session has ended. A session's `datname` is its own database. */
const ORPHANED_DATABASES_SQL = `SELECT d.datname AS name FROM pg_database d
  WHERE d.datname ~ '^external_api_e2e_[0-9]+_' AND NOT EXISTS (
    SELECT 1 FROM pg_stat_activity s WHERE s.application_name = $1 || split_part(d.datname, '_', 4))`;

let runSession: Client | undefined;

/**
 * Creates a migrated database that all test files copy. An open session marks the run as alive until its end, so that
 * the next run can drop the databases of a killed one, even of another machine.
 */
export default async function createPostgresTemplate(): Promise<void> {
  await ensureServiceBuilt();
  const run = String(process.pid);
  runSession = new Client({ connectionString: POSTGRES_URL, application_name: RUN_SESSION_PREFIX + run });
  runSession.on('error', () => undefined);
  await runSession.connect();
  const { rows } = await runSession.query<{ name: string }>(ORPHANED_DATABASES_SQL, [RUN_SESSION_PREFIX]);
  for (const { name } of rows) await runSession.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);

  const template = `external_api_e2e_${run}_template`;
  await runSession.query(`CREATE DATABASE ${template}`);
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${template}`;
  await migratePostgres(url.href);
  process.env.TEST_RUN = run;
}

export async function removePostgresTemplate(): Promise<void> {
  await runSession?.query(`DROP DATABASE IF EXISTS external_api_e2e_${process.pid}_template WITH (FORCE)`);
  await runSession?.end();
}
