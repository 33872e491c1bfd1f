import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '../private-file';
import type { HistoryEntry, OutboxEntry, HistoryOutbox } from './history-outbox';

const FILE_NAME_PATTERN = /^(\d{12})-[0-9a-f]{8}\.json$/;

/** Outbox with one file per pending message. The names sort in order of creation; the content is ciphertext. */
export class FileHistoryOutbox implements HistoryOutbox {
  private nextNumber = 1;

  constructor(private readonly folder: string) {}

  async loadEntries(): Promise<OutboxEntry[]> {
    const fileNames = await this.listFileNames();
    const entries: OutboxEntry[] = [];
    for (const name of fileNames) {
      const path = join(this.folder, name);
      entries.push({ entry: parseEntry(await readFile(path, 'utf8'), path), remove: () => removeFile(path) });
    }
    this.nextNumber = Number(FILE_NAME_PATTERN.exec(fileNames.at(-1) ?? '')?.[1] ?? 0) + 1;
    return entries;
  }

  async storeEntry(entry: HistoryEntry): Promise<OutboxEntry> {
    const number = String(this.nextNumber++).padStart(12, '0');
    const path = join(this.folder, `${number}-${randomBytes(4).toString('hex')}.json`);
    await writePrivateFile(path, JSON.stringify(entry));
    return { entry, remove: () => removeFile(path) };
  }

  private async listFileNames(): Promise<string[]> {
    const fileNames = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return fileNames.filter((name) => FILE_NAME_PATTERN.test(name)).sort();
  }
}

const removeFile = (path: string): Promise<void> => rm(path, { force: true });

function parseEntry(text: string, path: string): HistoryEntry {
  try {
    return JSON.parse(text) as HistoryEntry;
  } catch (error) {
    throw new Error(`${path} was not written by this program. Move it to another folder.`, { cause: error });
  }
}
