import { Client } from 'pg';
import { POSTGRES_URL } from './backend';
import { describeWith } from './dependencies';
import { TEST_GRANT_KEYS } from './grant-keys';

/** `describe` for suites on PostgreSQL. */
export const describeWithPostgres = describeWith('PostgreSQL');

/** `describe` for suites of several instances, which also need Redis. */
export const describeWithServices = describeWith('PostgreSQL', 'Redis');

/** Database, with the environment of a service on it without Redis. */
export interface TestDatabase {
  url: string;
  env: NodeJS.ProcessEnv;
  query: <Row = Record<string, unknown>>(sql: string, parameters?: unknown[]) => Promise<Row[]>;
  dropDatabase: () => Promise<void>;
}

let databaseCount = 0;

/** Creates an empty database. */
export function createTestDatabase(server = POSTGRES_URL): Promise<TestDatabase> {
  return createDatabase(server, '');
}

/** Creates a migrated database, from which a service starts more quickly, as a copy of postgres-template.ts. */
export function createMigratedDatabase(): Promise<TestDatabase> {
  const template = process.env.TEST_POSTGRES_TEMPLATE;
  if (!template) throw new Error('The setup of this Jest project creates no template.');
  return createDatabase(POSTGRES_URL, `TEMPLATE ${template}`);
}

async function createDatabase(server: string, options: string): Promise<TestDatabase> {
  const name = `external_api_medium_${process.pid}_${++databaseCount}`;
  await runQuery(server, `CREATE DATABASE ${name} ${options}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    env: createDatabaseEnvironment(url.href),
    query: (sql, parameters) => runQuery(url.href, sql, parameters),
    dropDatabase: async () => void (await runQuery(server, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

export function createDatabaseEnvironment(url: string): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: url,
    APP_SECRET: 'an application secret for tests only',
    GRANT_KEYS: TEST_GRANT_KEYS,
    SIGNUP: 'open',
  };
}

async function runQuery<Row>(url: string, sql: string, parameters: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  // The query reports the error. A server that crashes may end the connection after it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql, parameters)).rows as Row[];
  } finally {
    await client.end();
  }
}
