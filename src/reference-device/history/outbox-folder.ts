import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '../private-file';
import type { HistoryEntry, KeptEntry, Outbox } from './outbox';

const NAME = /^(\d{12})-[0-9a-f]{8}\.json$/;

/** A file for each text that waits, named in their order; ciphertext only. */
export class OutboxFolder implements Outbox {
  private next = 1;

  constructor(private readonly folder: string) {}

  async load(): Promise<KeptEntry[]> {
    const names = await this.names();
    const entries: KeptEntry[] = [];
    for (const name of names) {
      const path = join(this.folder, name);
      entries.push({ entry: parse(await readFile(path, 'utf8'), path), remove: () => removed(path) });
    }
    this.next = Number(NAME.exec(names.at(-1) ?? '')?.[1] ?? 0) + 1;
    return entries;
  }

  async keep(entry: HistoryEntry): Promise<KeptEntry> {
    const number = String(this.next++).padStart(12, '0');
    const path = join(this.folder, `${number}-${randomBytes(4).toString('hex')}.json`);
    await writePrivateFile(path, JSON.stringify(entry));
    return { entry, remove: () => removed(path) };
  }

  private async names(): Promise<string[]> {
    const names = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => NAME.test(name)).sort();
  }
}

const removed = (path: string): Promise<void> => rm(path, { force: true });

function parse(text: string, path: string): HistoryEntry {
  try {
    return JSON.parse(text) as HistoryEntry;
  } catch (error) {
    throw new Error(`${path} is not what this program wrote: move it away.`, { cause: error });
  }
}
