/**
 * Runs before Redis and the instances of docker-compose.yml start. Creates this installation's secrets in
 * APP_SECRET_FILE, GRANT_KEYS_FILE and REDIS_PASSWORD_FILE and the database of DATABASE_URL, unless they exist. Creates
 * no secret whose variable is empty, because the installation brings its own.
 */
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const { Client } = require('pg');
const {
  readOrCreateSecret,
  readOrCreateAppSecret,
  readOrCreateGrantKeys,
} = require('../dist/src/core/config/embedded-secrets.js');

const DUPLICATE_DATABASE = '42P04';

function makeSecret(variable, name, make) {
  const file = process.env[variable];
  if (file === '') return;
  if (!file || basename(file) !== name) throw new Error(`${variable} must name a file called ${name}.`);
  make(dirname(file));
}

async function makeDatabase(url) {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  const server = new URL(url);
  server.pathname = '/postgres';
  const client = new Client({ connectionString: server.href });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } catch (error) {
    if (error.code !== DUPLICATE_DATABASE) throw error;
  } finally {
    await client.end();
  }
}

makeSecret('APP_SECRET_FILE', 'app-secret', readOrCreateAppSecret);
makeSecret('GRANT_KEYS_FILE', 'grant-keys', readOrCreateGrantKeys);
makeSecret('REDIS_PASSWORD_FILE', 'redis-password', (dir) =>
  readOrCreateSecret(join(dir, 'redis-password'), () => randomBytes(32).toString('base64url')),
);
await makeDatabase(process.env.DATABASE_URL);
