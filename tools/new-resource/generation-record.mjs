/** Records in node_modules/.cache what the generator wrote, so that it can be undone. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../lib.mjs';

const recordOf = (plural) => join(root, 'node_modules', '.cache', 'new-resource', `${plural}.json`);
const read = (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null);

/** Returns the present texts of files by path; null for files that don't exist. */
export const readTexts = (paths) => Object.fromEntries(paths.map((path) => [path, read(path)]));

/** @param before texts from `readTexts` before the generator wrote these files */
export function saveRecord(plural, before) {
  const record = recordOf(plural);
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(record, JSON.stringify({ before, after: readTexts(Object.keys(before)) }));
}

/**
 * Deletes the files that the generator created and restores those that it edited, unless they have changed since.
 * @returns the paths of the changed files, which stay as they are
 * @throws Error without a record of this resource
 */
export function undoGeneration(plural) {
  const record = recordOf(plural);
  if (!existsSync(record)) {
    throw new Error(`There is no record of ${plural}: it was not generated here, or node_modules was replaced`);
  }
  const { before, after } = JSON.parse(readFileSync(record, 'utf8'));
  const changed = [];
  for (const [path, text] of Object.entries(after)) {
    const present = read(path);
    if (present === before[path]) continue;
    if (present !== text) changed.push(path);
    else if (before[path] === null) removeFile(path);
    else writeFileSync(join(root, path), before[path]);
  }
  if (changed.length === 0) rmSync(record);
  return changed;
}

function removeFile(path) {
  rmSync(join(root, path));
  const folder = dirname(join(root, path));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
