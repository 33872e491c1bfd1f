import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

/** Builds if there is no build, or if a source file is newer than the build. */
export function ensureBuilt() {
  // Both parts of a build: an interrupted one has only the first.
  const built = ['main.js', join('web', 'console', 'browser', 'console.js')].map((path) =>
    join(root, 'dist', 'src', path),
  );
  const changed = Math.max(
    ...['src', 'migrations', join('tools', 'documents')].map((folder) => newest(join(root, folder))),
  );
  if (built.every((path) => existsSync(path) && changed < statSync(path).mtimeMs)) return;
  process.stderr.write('Building ...\n');
  run(bin('nest'), ['build']);
  run(process.execPath, [join(root, 'tools', 'build-browser.mjs')]);
}

function newest(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0);
}

/** Returns the number of the next migration: now, or a second after the newest migration if that is later. */
export function nextMigrationEpoch() {
  const epochs = readdirSync(join(root, 'migrations')).map((name) => Number(/^\d{13}/.exec(name)?.[0] ?? 0));
  return Math.max(Date.now(), ...epochs.map((past) => past + 1_000));
}
