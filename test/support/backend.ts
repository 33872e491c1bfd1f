import { cpSync, rmSync } from 'node:fs';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { TEST_GRANT_KEYS } from './grant-keys';
import { scratchFolder } from './scratch';

/** Where a test's service keeps its data, as environment variables for `loadConfig`. */
export interface Backend {
  env: NodeJS.ProcessEnv;
  dispose(): Promise<void>;
}

export const POSTGRES_URL = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
export const REDIS_URL = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

let serial = 0;

/** The backend of the jest project that runs: a folder of its own, or a database and a Redis of its own. */
export function createBackend(kind = process.env.TEST_BACKEND): Promise<Backend> {
  return kind === 'services' ? createServices() : Promise.resolve(createFolder());
}

function createFolder(): Backend {
  const dir = scratchFolder();
  const template = process.env.TEST_EMBEDDED_TEMPLATE;
  if (template) cpSync(template, dir, { recursive: true });
  return {
    env: { DATA_DIR: dir },
    dispose: () => {
      rmSync(dir, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

async function createServices(): Promise<Backend> {
  const name = await createDatabase(`${process.pid}_${++serial}`);
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${name}`;
  const redis = await leaseRedis();
  return {
    env: {
      DATABASE_URL: url.href,
      REDIS_URL: redis.url,
      APP_SECRET: 'an application secret for tests only',
      GRANT_KEYS: TEST_GRANT_KEYS,
      SIGNUP: 'open',
    },
    dispose: async () => {
      await administer(`DROP DATABASE ${name} WITH (FORCE)`);
      await redis.release();
    },
  };
}

/** Migrated already where the run has a template (postgres-template.ts), else empty. */
async function createDatabase(suffix: string): Promise<string> {
  const run = process.env.TEST_RUN;
  const name = run ? `external_api_e2e_${run}_${suffix}` : `external_api_test_${suffix}`;
  await administer(`CREATE DATABASE ${name}${run ? ` TEMPLATE external_api_e2e_${run}_template` : ''}`);
  return name;
}

const LEASE_SECONDS = 900;

/**
 * Redis has 16 databases. Whoever runs tests on this machine leases one at a time; the leases stand in database 0,
 * and end by themselves when a run is killed.
 */
export async function leaseRedis(): Promise<{ url: string; release: () => Promise<void> }> {
  const leases = new Redis(REDIS_URL);
  try {
    for (let number = 1; number < 16; number++) {
      const key = `external-api-test:database-${number}`;
      if ((await leases.set(key, String(process.pid), 'EX', LEASE_SECONDS, 'NX')) !== 'OK') continue;
      const url = `${REDIS_URL}/${number}`;
      await flush(url);
      return { url, release: () => release(url, key) };
    }
  } finally {
    leases.disconnect();
  }
  throw new Error('Every Redis database is leased by a test run.');
}

async function release(url: string, key: string): Promise<void> {
  await flush(url);
  const leases = new Redis(REDIS_URL);
  await leases.del(key);
  leases.disconnect();
}

async function administer(sql: string): Promise<void> {
  const client = new Client({ connectionString: POSTGRES_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function flush(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushdb();
  redis.disconnect();
}
