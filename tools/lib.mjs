import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isUpToDate } from './build/state.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** OpenAPI documents that are generated from the code and served by it. */
export const OPENAPI_FILES = ['openapi.json', 'docs/protocol/device-openapi.json'];

/** Runs a program with inherited output. Exits with its status if it fails. */
export function run(command, args, env = {}) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (status !== 0) process.exit(status ?? 1);
}

export const bin = (name) => join(root, 'node_modules', '.bin', name);

/** Builds if a source has changed since the last build. */
export function ensureBuilt() {
  if (isUpToDate(root)) return;
  process.stderr.write('Building ...\n');
  run(process.execPath, [join(root, 'tools', 'build.mjs')]);
}

/** Sets the variables of `.env` that the environment doesn't contain, as Docker Compose does. */
export function loadEnvironmentFile() {
  try {
    process.loadEnvFile(join(root, '.env'));
  } catch (error) {
    if (error.code === 'ENOENT') return;
    console.error(`The file .env can't be read: ${error.message}`);
    process.exit(1);
  }
}

/** Returns the number of the next migration: now, or a second after the newest migration if that is later. */
export function nextMigrationEpoch() {
  const epochs = readdirSync(join(root, 'migrations')).map((name) => Number(/^\d{13}/.exec(name)?.[0] ?? 0));
  return Math.max(Date.now(), ...epochs.map((past) => past + 1_000));
}
