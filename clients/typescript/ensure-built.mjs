/** Builds the package if a source has changed since the last build. Processes that start at once build once. */
import '../../tools/check-node.cjs';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;
const cache = join(folder, '..', '..', 'node_modules', '.cache', 'external-api-client');
const record = join(cache, 'built');
const lock = join(cache, 'lock');
const LOCK_IS_STALE_AFTER_MS = 120_000;

export function ensureBuilt() {
  const hash = hashSources();
  if (isBuilt(hash)) return;
  mkdirSync(cache, { recursive: true });
  while (!tryLock()) {
    if (Date.now() - statSync(lock, { throwIfNoEntry: false })?.mtimeMs > LOCK_IS_STALE_AFTER_MS) unlock();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  try {
    if (!isBuilt(hash)) build(hash);
  } finally {
    unlock();
  }
}

function build(hash) {
  process.stderr.write('Building xapi ...\n');
  const { status } = spawnSync(process.execPath, [join(folder, 'build.mjs')], { stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    unlock();
    process.exit(status ?? 1);
  }
  writeFileSync(record, hash);
}

function isBuilt(hash) {
  return existsSync(join(folder, 'dist', 'xapi.cjs')) && existsSync(record) && readFileSync(record, 'utf8') === hash;
}

function hashSources() {
  const sources = [join(folder, 'src'), join(folder, '..', '..', 'packages', 'forward-proxy')]
    .flatMap((path) => readdirSync(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const path of [
    ...sources.sort(),
    ...['build.mjs', 'package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) => join(folder, name)),
    join(folder, '..', '..', 'tools', 'build', 'package-bundle.mjs'),
  ])
    hash.update(path).update(readFileSync(path));
  return hash.digest('hex');
}

function tryLock() {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

function unlock() {
  rmSync(lock, { recursive: true, force: true });
}
