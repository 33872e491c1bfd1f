import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { createCommandEnvironment } from './spawn-command';

/**
 * Returns the absolute path of a program, in the folders in which the system looks when a command is started.
 * @param program a name without a slash, or an absolute path
 * @returns undefined if there is no such executable file
 */
export async function findProgram(
  program: string,
  { PATH = '' } = createCommandEnvironment(),
): Promise<string | undefined> {
  const folders = PATH.split(delimiter).filter((folder) => isAbsolute(folder));
  const candidates = program.includes('/') ? [program] : folders.map((folder) => join(folder, program));
  for (const path of candidates) if (await isExecutable(path)) return path;
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
