import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs a program with this terminal; exits with its status when it fails. */
export function run(command, args, env = {}) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (status !== 0) process.exit(status ?? 1);
}

export const bin = (name) => join(root, 'node_modules', '.bin', name);

/** Builds when there is no build yet, or when a source file is newer than it. */
export function ensureBuilt() {
  const built = join(root, 'dist', 'src', 'main.js');
  const changed = Math.max(...['src', 'migrations'].map((folder) => newest(join(root, folder))));
  if (existsSync(built) && changed < statSync(built).mtimeMs) return;
  process.stderr.write('Building ...\n');
  run(bin('nest'), ['build']);
}

function newest(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0);
}

/** Now, or just after the newest migration where that is later: the number of the next one. */
export function nextMigrationEpoch() {
  const epochs = readdirSync(join(root, 'migrations')).map((name) => Number(/^\d{13}/.exec(name)?.[0] ?? 0));
  return Math.max(Date.now(), ...epochs.map((past) => past + 1_000));
}
