import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isUpToDate } from './build/state.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

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

/** Returns the number of the next migration: now, or a second after the newest migration if that is later. */
export function nextMigrationEpoch() {
  const epochs = readdirSync(join(root, 'migrations')).map((name) => Number(/^\d{13}/.exec(name)?.[0] ?? 0));
  return Math.max(Date.now(), ...epochs.map((past) => past + 1_000));
}
