/**
 * Before the instances of docker-compose.yml start: a secret of this installation's own in APP_SECRET_FILE, and the
 * database of DATABASE_URL. What is there already stays as it is.
 */
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';

const require = createRequire(import.meta.url);
const { Client } = require('pg');
const { embeddedAppSecret } = require('../dist/src/config/embedded-secret.js');

const DUPLICATE_DATABASE = '42P04';

function makeSecret(file) {
  if (basename(file) !== 'app-secret') throw new Error('APP_SECRET_FILE has to be called app-secret.');
  embeddedAppSecret(dirname(file));
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

makeSecret(process.env.APP_SECRET_FILE);
await makeDatabase(process.env.DATABASE_URL);
