import { cpSync, rmSync } from 'node:fs';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { TEST_GRANT_KEYS } from './grant-keys';
import { createScratchFolder } from './scratch-folder';

/** Databases of a test's service, as environment variables for `loadConfig`. */
export interface Backend {
  env: NodeJS.ProcessEnv;
  dispose(): Promise<void>;
}

export const POSTGRES_URL = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
export const REDIS_URL = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

let databaseCount = 0;

/** Creates the backend of the current Jest project: a new folder, or a new database and a leased Redis database. */
export function createBackend(kind = process.env.TEST_BACKEND): Promise<Backend> {
  return kind === 'services' ? createServicesBackend() : Promise.resolve(createFolderBackend());
}

function createFolderBackend(): Backend {
  const dir = createScratchFolder();
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

async function createServicesBackend(): Promise<Backend> {
  const name = await createBackendDatabase(`${process.pid}_${++databaseCount}`);
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
      await runAdminStatement(`DROP DATABASE ${name} WITH (FORCE)`);
      await redis.release();
    },
  };
}

/** The database is migrated if the run has a template (postgres-template.ts), and empty otherwise. */
async function createBackendDatabase(suffix: string): Promise<string> {
  const { TEST_RUN: run, TEST_POSTGRES_TEMPLATE: template } = process.env;
  const name = run ? `external_api_e2e_${run}_${suffix}` : `external_api_test_${suffix}`;
  await runAdminStatement(`CREATE DATABASE ${name}${template ? ` TEMPLATE ${template}` : ''}`);
  return name;
}

const LEASE_SECONDS = 900;

/**
 * Leases one of the 16 databases of Redis, which all test runs of this machine share. Database 0 contains the leases,
 * which expire if a run is killed.
 */
export async function leaseRedis(): Promise<{ url: string; release: () => Promise<void> }> {
  const leaseClient = new Redis(REDIS_URL);
  try {
    for (let number = 1; number < 16; number++) {
      const key = `external-api-test:database-${number}`;
      if ((await leaseClient.set(key, String(process.pid), 'EX', LEASE_SECONDS, 'NX')) !== 'OK') continue;
      const url = `${REDIS_URL}/${number}`;
      await flushRedis(url);
      return { url, release: () => releaseRedis(url, key) };
    }
  } finally {
    leaseClient.disconnect();
  }
  throw new Error('All Redis databases are leased by test runs.');
}

async function releaseRedis(url: string, key: string): Promise<void> {
  await flushRedis(url);
  const leaseClient = new Redis(REDIS_URL);
  await leaseClient.del(key);
  leaseClient.disconnect();
}

async function runAdminStatement(sql: string): Promise<void> {
  const client = new Client({ connectionString: POSTGRES_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function flushRedis(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushdb();
  redis.disconnect();
}
