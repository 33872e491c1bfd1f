import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, mkdir, open, readlink, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { getErrnoCode } from './exec/command-error';

/** Errors of a file that can't be replaced, because it is a mount of its own, or of a folder that can't be changed. */
const IRREPLACEABLE = /^(EBUSY|EROFS|EACCES|EPERM)$/;
/** Errors of a file system whose folders can't be synced, such as that of a network drive. */
const UNSYNCABLE = /^(EINVAL|ENOTSUP|EOPNOTSUPP)$/;

/**
 * Writes a file that only its owner can read: mode 0600, in a folder that is created with mode 0700. The write is
 * atomic: a crash leaves either the old or the new file. Follows symbolic links. A file that can't be replaced, such as
 * the single-file mount of a container, is written in place.
 * @param isSynced whether the data then survives a power failure. It survives the end of the process in any case
 * @throws Error that says what to do if the file can't be written at all
 */
export async function writePrivateFile(path: string, text: string | Uint8Array, isSynced = true): Promise<void> {
  const target = await findTarget(path);
  const folder = dirname(target);
  // Without the name of the file, which may be as long as a name can be.
  const temporaryPath = join(folder, `.external-api-device.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeAndClose(await createFile(temporaryPath), text, isSynced);
    await rename(temporaryPath, target);
  } catch (error) {
    await rm(temporaryPath, { force: true }).catch(() => undefined);
    if (!IRREPLACEABLE.test(getErrnoCode(error))) throw error;
    return writeInPlace(target, text, isSynced, error);
  }
  if (isSynced) await syncFolder(folder);
}

/**
 * Adds a line to a file that {@link writePrivateFile} has written.
 * @param isSynced whether the line survives a power failure when this resolves, if the file itself does
 * @throws Error `ENOENT` without the file
 */
export async function appendPrivateLine(path: string, line: string, isSynced: boolean): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    await file.writeFile(`\n${line}`);
    if (isSynced) await file.datasync();
  } finally {
    await file.close();
  }
}

/** Lets a file survive a power failure that was written without that. Does nothing if it was deleted meanwhile. */
export async function syncPrivateFile(path: string): Promise<void> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (getErrnoCode(error) !== 'ENOENT') throw error;
  });
  if (!file) return;
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dirname(path));
}

/** Creates a file, and its folder if it is missing. */
async function createFile(path: string): Promise<FileHandle> {
  const create = () => open(path, 'wx', 0o600);
  return create().catch(async (error: unknown) => {
    if (getErrnoCode(error) !== 'ENOENT') throw error;
    await createPrivateFolder(dirname(path));
    return create();
  });
}

async function writeInPlace(
  path: string,
  text: string | Uint8Array,
  isSynced: boolean,
  reason: unknown,
): Promise<void> {
  const file = await open(path, 'r+').catch(() => undefined);
  if (file) return writeAndClose(file, text, isSynced);
  throw new Error(
    `The file ${path} can't be written (${getErrnoCode(reason)}). Copy it to a folder that this user can write to.`,
    { cause: reason },
  );
}

async function writeAndClose(file: FileHandle, text: string | Uint8Array, isSynced: boolean): Promise<void> {
  try {
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.truncate(Buffer.byteLength(text));
    if (isSynced) await file.sync();
  } finally {
    await file.close();
  }
}

/** Follows links, also to a file that doesn't exist yet. */
async function findTarget(path: string): Promise<string> {
  const target = await realpath(path).catch(() => undefined);
  if (target !== undefined) return target;
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? path : findTarget(resolve(dirname(path), link));
}

async function createPrivateFolder(folder: string): Promise<void> {
  const created = await mkdir(folder, { recursive: true, mode: 0o700 });
  // An unusual umask may have removed the owner's own permissions.
  if (created) await chmod(folder, 0o700);
}

/** Syncs the folder, so that the rename reaches the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync().catch((error: unknown) => {
      if (!UNSYNCABLE.test(getErrnoCode(error))) throw error;
    });
  } finally {
    await handle.close();
  }
}
