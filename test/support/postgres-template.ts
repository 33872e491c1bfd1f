import { Client } from 'pg';
import { POSTGRES_URL } from './backend';
import { ensureServiceBuilt } from './ensure-service-built';
import { computeTemplateVersion, migrateDatabase } from './migrated-template';

const RUN_SESSION_PREFIX = 'external-api e2e ';
const TEMPLATE_PREFIX = 'external_api_template_';
/** Serializes the creation of templates. The value is arbitrary. */
const TEMPLATE_LOCK_ID = 7_264_091;

/** Selects databases of runs whose marker session has ended. A session's `datname` is its own database. */
const ORPHANED_DATABASES_SQL = `SELECT d.datname AS name FROM pg_database d
  WHERE d.datname ~ '^external_api_e2e_[0-9]+_' AND NOT EXISTS (
    SELECT 1 FROM pg_stat_activity s WHERE s.application_name = $1 || split_part(d.datname, '_', 4))`;

/** Selects templates that no run has used for a day, for example of another branch. Their comment is the last use. */
const UNUSED_TEMPLATES_SQL = `SELECT datname AS name FROM pg_database
  WHERE starts_with(datname, $1) AND coalesce(shobj_description(oid, 'pg_database')::timestamptz, 'epoch') <
    now() - interval '1 day'`;

let runSession: Client | undefined;

/**
 * Provides a migrated database that all test files copy. Later runs use the same one as long as the migrations stay the
 * same. An open session marks the run as alive until its end, so that the next run can drop the databases of a killed
 * one, even of another machine. The projects of a run share both.
 */
export default async function providePostgresTemplate(): Promise<void> {
  await ensureServiceBuilt();
  if (process.env.TEST_POSTGRES_TEMPLATE) return;
  const run = String(process.pid);
  runSession = new Client({ connectionString: POSTGRES_URL, application_name: RUN_SESSION_PREFIX + run });
  runSession.on('error', () => undefined);
  await runSession.connect();
  await dropDatabases(ORPHANED_DATABASES_SQL, RUN_SESSION_PREFIX);

  await runSession.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK_ID]);
  try {
    process.env.TEST_POSTGRES_TEMPLATE = await provideTemplate(runSession);
    await dropDatabases(UNUSED_TEMPLATES_SQL, TEMPLATE_PREFIX);
  } finally {
    await runSession.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK_ID]);
  }
  process.env.TEST_RUN = run;
}

export async function endPostgresRun(): Promise<void> {
  const session = runSession;
  runSession = undefined;
  await session?.end();
}

/** Renames the migrated database, so that an interrupted run leaves no template. */
async function provideTemplate(session: Client): Promise<string> {
  const template = TEMPLATE_PREFIX + computeTemplateVersion();
  const { rows } = await session.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
  if (rows.length === 0) {
    const unfinished = `${TEMPLATE_PREFIX}unfinished`;
    await session.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    await session.query(`CREATE DATABASE ${unfinished}`);
    const url = new URL(POSTGRES_URL);
    url.pathname = `/${unfinished}`;
    migrateDatabase(url.href);
    await session.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`);
  }
  await session.query(`COMMENT ON DATABASE ${template} IS '${new Date().toISOString()}'`);
  return template;
}

async function dropDatabases(sql: string, parameter: string): Promise<void> {
  const { rows } = await runSession!.query<{ name: string }>(sql, [parameter]);
  for (const { name } of rows) await runSession!.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}
