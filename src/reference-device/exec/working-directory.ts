import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { CommandError, errnoOf } from './command-error';

/**
 * `spawn` answers ENOENT for a missing directory and for a missing command alike, so the directory is looked at first.
 * @throws CommandError `cwd_not_found`, `permission_denied`, `internal`
 */
export async function checkWorkingDirectory(path: string): Promise<void> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) throw new CommandError('cwd_not_found', `${path} is not a directory.`);
    await access(path, constants.X_OK);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw directoryFailure(path, error);
  }
}

function directoryFailure(path: string, error: unknown): CommandError {
  switch (errnoOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
    case 'ELOOP':
      return new CommandError('cwd_not_found', `There is no directory ${path}.`);
    case 'EACCES':
    case 'EPERM':
      return new CommandError('permission_denied', `${path} may not be entered.`);
    default:
      return new CommandError('internal', `${path} cannot be used: ${String(error)}`);
  }
}
