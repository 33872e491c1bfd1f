import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CommandError } from '../exec/command-error';
import { isWithin } from '../exec/real-path';
import { checkWorkingDirectory } from '../exec/working-directory';

/** The folders in which callers may start sessions (`--allow-cwd`). */
export class AllowedFolders {
  /** @param allowedFolders absolute paths. Default: the working directory */
  constructor(
    private readonly workingDirectory: string,
    private readonly allowedFolders: readonly string[] = [workingDirectory],
  ) {}

  /**
   * Returns the folder with its links resolved, so that a link can't lead out of the allowed ones.
   * @param folder relative to the working directory; null: the working directory
   * @throws CommandError `cwd_not_found`; `cwd_not_allowed`, also for a folder that this user can't enter
   */
  async resolveFolder(folder: string | null): Promise<string> {
    const path = resolve(this.workingDirectory, folder ?? '.');
    await checkWorkingDirectory(path).catch((error: CommandError) => {
      throw error.code === 'permission_denied' ? new CommandError('cwd_not_allowed', error.message) : error;
    });
    const realFolder = await realpath(path);
    for (const allowedFolder of this.allowedFolders)
      if (isWithin(realFolder, await realpath(allowedFolder).catch(() => allowedFolder))) return realFolder;
    throw new CommandError('cwd_not_allowed', 'The machine does not allow sessions in this folder.');
  }
}
