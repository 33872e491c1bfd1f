/**
 * Usage: setup.js FILE. Runs before the containers of docker-compose.yml that need secrets. Creates those of this
 * installation, unless they exist: the password of its database in FILE, and those in APP_SECRET_FILE, GRANT_KEYS_FILE,
 * REDIS_PASSWORD_FILE and DATABASE_URL_FILE. Creates no secret whose variable is empty, because the installation brings
 * its own.
 */
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { readOrCreateAppSecrets, readOrCreateGrantKeys, readOrCreateSecret } from '../../core/config/embedded-secrets';

function makeSecret(variable: string, name: string, make: (folder: string) => unknown): void {
  const file = process.env[variable];
  if (file === '') return;
  if (!file || basename(file) !== name) throw new Error(`${variable} must name a file called ${name}.`);
  make(dirname(file));
}

function makePassword(file: string): string {
  return readOrCreateSecret(file, () => randomBytes(32).toString('base64url'));
}

const [passwordFile] = process.argv.slice(2);
if (passwordFile === undefined) throw new Error('Name the file of the password of the database.');
const databasePassword = makePassword(passwordFile);
makeSecret('APP_SECRET_FILE', 'app-secret', readOrCreateAppSecrets);
makeSecret('GRANT_KEYS_FILE', 'grant-keys', readOrCreateGrantKeys);
makeSecret('REDIS_PASSWORD_FILE', 'redis-password', (folder) => makePassword(join(folder, 'redis-password')));
makeSecret('DATABASE_URL_FILE', 'database-url', (folder) => {
  const url = `postgres://postgres:${databasePassword}@database:5432/external_api`;
  readOrCreateSecret(join(folder, 'database-url'), () => url);
});
