import { Client } from 'pg';
import { POSTGRES_URL } from './backend';
import { TEST_GRANT_KEYS } from './grant-keys';

const missing = process.env.TEST_MISSING_SERVICES ?? '';

/** `describe` for suites on PostgreSQL; left out where there is none (medium-setup.ts says so). */
export const describePostgres = missing.includes('PostgreSQL') ? describe.skip : describe;

/** The same for suites of several instances, which need Redis as well. */
export const describeServices = missing ? describe.skip : describe;

/** An empty database of its own, and the environment of a service on it without Redis. */
export interface Database {
  url: string;
  env: NodeJS.ProcessEnv;
  query: <Row = Record<string, unknown>>(sql: string, parameters?: unknown[]) => Promise<Row[]>;
  drop: () => Promise<void>;
}

let serial = 0;

export async function createDatabase(server = POSTGRES_URL): Promise<Database> {
  const name = `external_api_medium_${process.pid}_${++serial}`;
  await query(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    env: environmentFor(url.href),
    query: (sql, parameters) => query(url.href, sql, parameters),
    drop: async () => void (await query(server, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

export function environmentFor(url: string): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: url,
    APP_SECRET: 'an application secret for tests only',
    GRANT_KEYS: TEST_GRANT_KEYS,
    SIGNUP: 'open',
  };
}

async function query<Row>(url: string, sql: string, parameters: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, parameters)).rows as Row[];
  } finally {
    await client.end();
  }
}
