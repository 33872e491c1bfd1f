import { Client } from 'pg';
import { POSTGRES_URL } from './backend';
import { ensureServiceBuilt } from './ensure-service-built';
import { computeTemplateVersion, migrateDatabase } from './migrated-template';

const RUN_SESSION_PREFIX = 'external-api e2e ';
const TEMPLATE_PREFIX = 'external_api_template_';
/** Serializes the creation and removal of templates. The value is arbitrary. */
export const TEMPLATE_LOCK_ID = 7_264_091;

/** Selects databases of runs whose marker session has ended. A session's `datname` is its own database. */
const ORPHANED_DATABASES_SQL = `SELECT d.datname AS name FROM pg_database d
  WHERE d.datname ~ '^external_api_e2e_[0-9]+_' AND NOT EXISTS (
    SELECT 1 FROM pg_stat_activity s WHERE s.application_name = $1 || split_part(d.datname, '_', 4))`;

/** Selects templates by the time of their last use, which is their comment. Concurrent runs may use another one. */
const UNUSED_TEMPLATES_SQL = `SELECT datname AS name FROM pg_database
  WHERE starts_with(datname, $1) AND coalesce(shobj_description(oid, 'pg_database'), '') < $2`;
const UNUSED_MS = 86_400_000;

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
  await dropDatabases(runSession, ORPHANED_DATABASES_SQL, RUN_SESSION_PREFIX);
  process.env.TEST_POSTGRES_TEMPLATE = await provideDatabaseTemplate(runSession);
  process.env.TEST_RUN = run;
}

export async function endPostgresRun(): Promise<void> {
  const session = runSession;
  runSession = undefined;
  await session?.end();
}

/** Returns the name of the migrated database. Creates it if there is none, and drops those unused for a day. */
export async function provideDatabaseTemplate(session: Client): Promise<string> {
  const template = TEMPLATE_PREFIX + computeTemplateVersion();
  await session.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK_ID]);
  try {
    const { rows } = await session.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (rows.length === 0) await createDatabaseTemplate(session, template);
    await session.query(`COMMENT ON DATABASE ${template} IS '${new Date().toISOString()}'`);
    const unusedSince = new Date(Date.now() - UNUSED_MS).toISOString();
    await dropDatabases(session, UNUSED_TEMPLATES_SQL, TEMPLATE_PREFIX, unusedSince);
  } finally {
    await session.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK_ID]);
  }
  return template;
}

/** Renames the migrated database, so that an interrupted run leaves no template. */
async function createDatabaseTemplate(session: Client, template: string): Promise<void> {
  const unfinished = `${TEMPLATE_PREFIX}unfinished`;
  await session.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
  await session.query(`CREATE DATABASE ${unfinished}`);
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${unfinished}`;
  migrateDatabase(url.href);
  await session.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`);
}

async function dropDatabases(session: Client, sql: string, ...parameters: string[]): Promise<void> {
  const { rows } = await session.query<{ name: string }>(sql, parameters);
  for (const { name } of rows) await session.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}
