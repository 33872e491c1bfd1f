import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';

/**
 * Returns the path with its links resolved, also of a file that doesn't exist yet. Undefined if that can't be done, as
 * for a link that leads nowhere.
 * @param path absolute
 */
export async function resolveLinks(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || (await isLink(path))) return undefined;
    const folder = await resolveLinks(parent);
    return folder === undefined ? undefined : join(folder, basename(path));
  }
}

const isLink = (path: string): Promise<boolean> =>
  readlink(path).then(
    () => true,
    () => false,
  );

/** Whether the path is the folder or in it. Both are absolute and without links. */
export function isWithin(path: string, folder: string): boolean {
  const fromFolder = relative(folder, path);
  return fromFolder !== '..' && !fromFolder.startsWith(`..${sep}`);
}
