import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateKey } from '@external-api/protocol';
import { parseGrantKeys, type GrantKey } from './grant-key';

const MIN_SECRET_LENGTH = 32;

/**
 * Returns the secrets in a text of the format of APP_SECRET, a comma-separated list of at least one, or null if one of
 * them is too short.
 */
export function parseAppSecrets(text: string): string[] | null {
  const secrets = text
    .split(',')
    .map((secret) => secret.trim())
    .filter(Boolean);
  return secrets.length > 0 && secrets.every((secret) => secret.length >= MIN_SECRET_LENGTH) ? secrets : null;
}

/**
 * Returns the APP_SECRET of an embedded installation, newest first: created at the first start, stored in the data
 * folder in the format of the variable, so that operators can rotate it by editing the file.
 */
export function readOrCreateAppSecrets(dataDir: string): string[] {
  const path = join(dataDir, 'app-secret');
  const secrets = parseAppSecrets(readOrCreateSecret(path, () => randomBytes(32).toString('base64url')));
  if (!secrets)
    throw new Error(`${path} must contain one or more secrets of at least ${MIN_SECRET_LENGTH} characters each`);
  return secrets;
}

/**
 * Returns the GRANT_KEYS of an embedded installation, stored in the data folder in the format of the variable, so that
 * operators can add a key by editing the file.
 */
export function readOrCreateGrantKeys(dataDir: string): GrantKey[] {
  const path = join(dataDir, 'grant-keys');
  const keys = parseGrantKeys(readOrCreateSecret(path, () => JSON.stringify([generateGrantKey()])));
  if (!keys) throw new Error(`${path} must contain a JSON array of X25519 private keys`);
  return keys;
}

function generateGrantKey(): object {
  return { ...generateKey('X25519'), kid: `grant-${randomBytes(6).toString('hex')}` };
}

/**
 * Returns the content of the file. If the file doesn't exist, creates it with a generated secret and mode 0600: writes
 * a temporary file and links it, so that neither a crash nor a second process leaves a partial secret.
 */
export function readOrCreateSecret(path: string, generate: () => string): string {
  return readSecret(path) ?? createSecretFile(path, generate());
}

function readSecret(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function createSecretFile(path: string, secret: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}`;
  const descriptor = openSync(temporaryPath, 'wx', 0o600);
  try {
    writeSync(descriptor, `${secret}\n`);
    fsyncSync(descriptor);
    linkSync(temporaryPath, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(descriptor);
    rmSync(temporaryPath, { force: true });
  }
  return readFileSync(path, 'utf8').trim();
}
