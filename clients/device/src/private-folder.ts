import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface LoadedFile<T> {
  path: string;
  value: T;
}

/**
 * Returns the parsed files of a folder, ordered by name. Skips files that can't be read or parsed, and renames the
 * latter to `….damaged`, so that they are reported once. Deletes what interrupted writes have left. A folder that does
 * not exist is empty.
 * @param parseFile throws if the text wasn't written by this program
 * @param onProblem called for each skipped file. The problem names the path and no content
 */
export async function loadPrivateFiles<T>(
  folder: string,
  namePattern: RegExp,
  parseFile: (text: string) => T,
  onProblem: (problem: string, error: unknown) => void,
): Promise<LoadedFile<T>[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const leftovers = names.filter((name) => name.endsWith('.tmp'));
  await Promise.all(leftovers.map((name) => rm(join(folder, name), { force: true })));
  const files: LoadedFile<T>[] = [];
  for (const name of names.filter((each) => namePattern.test(each)).sort()) {
    const path = join(folder, name);
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      onProblem(`${path} can't be read (${error.code}) and is skipped.`, error);
      return undefined;
    });
    if (text === undefined) continue;
    try {
      files.push({ path, value: parseFile(text) });
    } catch (error) {
      await rename(path, `${path}.damaged`).catch(() => undefined);
      onProblem(`${path} is damaged and is skipped. It is renamed to ${name}.damaged.`, error);
    }
  }
  return files;
}

/** Hashes an id, which comes from the service and could contain a path. */
export const hashId = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32);
