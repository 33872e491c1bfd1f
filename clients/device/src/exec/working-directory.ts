import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { CommandError, getErrnoCode } from './command-error';

/**
 * Checks that the working directory exists and is accessible. `spawn` reports ENOENT both for a missing directory and
 * for a missing command, so the directory is checked first.
 * @throws CommandError `cwd_not_found`, `permission_denied`, `internal`
 */
export async function checkWorkingDirectory(path: string): Promise<void> {
  try {
    const stats = await stat(path);
    if (!stats.isDirectory()) throw new CommandError('cwd_not_found', `${path} is not a directory.`);
    await access(path, constants.X_OK);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw toDirectoryError(path, error);
  }
}

function toDirectoryError(path: string, error: unknown): CommandError {
  switch (getErrnoCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
    case 'ELOOP':
      return new CommandError('cwd_not_found', `The directory ${path} does not exist.`);
    case 'EACCES':
    case 'EPERM':
      return new CommandError('permission_denied', `The directory ${path} is not accessible for this user.`);
    default:
      return new CommandError('internal', `${path} cannot be used: ${String(error)}`);
  }
}
