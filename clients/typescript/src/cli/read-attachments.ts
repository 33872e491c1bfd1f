import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { createAttachment, type Attachment } from '../index.ts';
import { UsageError } from './errors.ts';

/** What the service takes with a message. */
const MAX_FILES = 8;
const MAX_BYTES = 716_800;

/** Reads the files that a message names. @throws UsageError for files that can't be sent */
export async function readAttachments(paths: readonly string[]): Promise<Attachment[] | undefined> {
  if (paths.length === 0) return undefined;
  if (paths.length > MAX_FILES) throw new UsageError(`A message may have at most ${MAX_FILES} files.`);
  let totalBytes = 0;
  const attachments: Attachment[] = [];
  for (const path of paths) {
    totalBytes += await findSize(path);
    // Before the file is read, which may be larger than the memory.
    if (totalBytes > MAX_BYTES) throw new UsageError(`The files of a message may have ${MAX_BYTES} bytes together.`);
    attachments.push(createAttachment(basename(path), await readFile(path)));
  }
  return attachments;
}

async function findSize(path: string): Promise<number> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} can't be read: ${error.code}.`);
  });
  if (!stats.isFile()) throw new UsageError(`${path} is not a file.`);
  return stats.size;
}
