import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areBundlesUpToDate } from './build/bundles.mjs';
import { arePackagesUpToDate } from './build/packages.mjs';
import { compareWithLastBuild, isUpToDate } from './build/state.mjs';

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

/** Builds the single files, the bundles and the packed clients if a source has changed since the last build. */
export function ensureBuilt() {
  const state = compareWithLastBuild(root);
  if (!isUpToDate(state) || !areBundlesUpToDate(root, state) || !arePackagesUpToDate(root)) build();
}

/** Packs the clients if a source of theirs has changed since they were packed. */
export function ensurePackagesBuilt() {
  if (!arePackagesUpToDate(root)) build('--packages');
}

/** Builds the single files if a source has changed. The bundles and the packed clients may be older. */
export function ensureFilesBuilt() {
  if (!isUpToDate(compareWithLastBuild(root))) build('--files');
}

function build(...options) {
  process.stderr.write('Building ...\n');
  run(process.execPath, [join(root, 'tools', 'build.mjs'), ...options]);
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
