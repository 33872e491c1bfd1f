/** Keeps texts that take seconds to make, so that they are at hand when their sources come back. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeFile } from './build/whole-file.mjs';
import { root } from './lib.mjs';

const CACHE_FOLDER = join(root, 'node_modules', '.cache', 'external-api', 'texts');
/** As many states of the sources as one goes back and forth between. */
const KEPT_TEXTS = 4;

/**
 * Returns the text that `create` made from the same sources before, or makes it.
 * @param name of the text, for its folder in the cache
 * @param sources texts that determine the result, the code that makes it included
 */
export async function getOrCreateText(name, sources, create) {
  const folder = join(CACHE_FOLDER, name);
  const hash = createHash('sha256');
  for (const source of sources) hash.update(`${source.length}\n`).update(source);
  const file = join(folder, hash.digest('hex'));
  let text;
  try {
    text = readFileSync(file, 'utf8');
    utimesSync(file, new Date(), new Date());
  } catch {
    // The text is new, or the cache can't be read or written.
  }
  if (text !== undefined) return text;
  text = await create();
  try {
    storeText(folder, file, text);
  } catch {
    // It only takes longer the next time.
  }
  return text;
}

function storeText(folder, file, text) {
  writeWholeFile(file, text);
  removeOldest(folder);
}

function removeOldest(folder) {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const timeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const byAge = files.map((file) => ({ file, time: timeOf(file) })).sort((a, b) => b.time - a.time);
  for (const { file } of byAge.slice(KEPT_TEXTS)) rmSync(file, { force: true });
}
