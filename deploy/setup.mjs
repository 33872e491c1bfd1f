/**
 * Before the instances of docker-compose.yml start: secrets of this installation's own in APP_SECRET_FILE and
 * GRANT_KEYS_FILE, and the database of DATABASE_URL. What is there already stays as it is.
 */
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';

const require = createRequire(import.meta.url);
const { Client } = require('pg');
const { embeddedAppSecret, embeddedGrantKeys } = require('../dist/src/config/embedded-secrets.js');

const DUPLICATE_DATABASE = '42P04';

function makeSecret(variable, name, make) {
  const file = process.env[variable];
  if (!file || basename(file) !== name) throw new Error(`${variable} has to name a file called ${name}.`);
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

makeSecret('APP_SECRET_FILE', 'app-secret', embeddedAppSecret);
makeSecret('GRANT_KEYS_FILE', 'grant-keys', embeddedGrantKeys);
await makeDatabase(process.env.DATABASE_URL);
