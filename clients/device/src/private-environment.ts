import { open } from 'node:fs/promises';
import { writePrivateFile } from './private-file';
import { isJsonObject } from './untrusted-values';

/** Writes variables that may be secrets, such as the keys of agents, to a file that only its owner can read. */
export function writePrivateEnvironment(path: string, variables: Readonly<Record<string, string>>): Promise<void> {
  return writePrivateFile(path, `${JSON.stringify(variables, null, 2)}\n`);
}

/**
 * Adds the variables of such a file to this process, except those that it has already.
 * @throws Error when the file can't be read, when others can read it, or when it has something else
 */
export async function loadPrivateEnvironment(path: string): Promise<void> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The environment file ${path} can't be read (${error.code}).`);
  });
  try {
    if (((await file.stat()).mode & 0o077) !== 0)
      throw new Error(`Other users can read or write the environment file. Restrict it: chmod 600 '${path}'`);
    for (const [name, value] of parseVariables(await file.readFile('utf8'), path)) process.env[name] ??= value;
  } finally {
    await file.close();
  }
}

/** The error of `JSON.parse` would contain a part of the secrets. */
function parseVariables(text: string, path: string): [string, string][] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (!isJsonObject(value)) throw new Error(`The environment file ${path} has no JSON object.`);
  return Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}
