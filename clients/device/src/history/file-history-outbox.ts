import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { syncPrivateFile, writePrivateFile } from '../private-file';
import { loadPrivateFiles } from '../private-folder';
import { isIdentifier, isText } from '../untrusted-values';
import type { HistoryEntry, OutboxEntry, HistoryOutbox } from './history-outbox';

const FILE_NAME_PATTERN = /^(\d{12})-[0-9a-f]{8}\.json$/;

/** Outbox with one file per pending message. The names sort in order of creation; the content is ciphertext. */
export class FileHistoryOutbox implements HistoryOutbox {
  private nextNumber = 1;

  /** @param rejectedFolder receives the messages that the service rejects */
  constructor(
    private readonly folder: string,
    private readonly rejectedFolder: string,
  ) {}

  async loadEntries(onProblem: (problem: string) => void = () => undefined): Promise<OutboxEntry[]> {
    const files = await loadPrivateFiles(this.folder, FILE_NAME_PATTERN, parseEntry, onProblem);
    const [, lastNumber = 0] = FILE_NAME_PATTERN.exec(basename(files.at(-1)?.path ?? '')) ?? [];
    this.nextNumber = Number(lastNumber) + 1;
    return files.map(({ path, value }) => this.toOutboxEntry(value, path));
  }

  async storeEntry(entry: HistoryEntry): Promise<OutboxEntry> {
    const number = String(this.nextNumber++).padStart(12, '0');
    const path = join(this.folder, `${number}-${randomBytes(4).toString('hex')}.json`);
    const isSynced = false;
    await writePrivateFile(path, JSON.stringify(entry), isSynced);
    return this.toOutboxEntry(entry, path);
  }

  async countMessages(): Promise<{ waiting: number; setAside: number }> {
    return { waiting: await countFiles(this.folder), setAside: await countFiles(this.rejectedFolder) };
  }

  private toOutboxEntry(entry: HistoryEntry, path: string): OutboxEntry {
    return {
      entry,
      sync: () => syncPrivateFile(path),
      remove: () => rm(path, { force: true }),
      setAside: () => this.moveToRejected(path),
    };
  }

  private async moveToRejected(path: string): Promise<string> {
    await mkdir(this.rejectedFolder, { recursive: true, mode: 0o700 });
    const rejectedPath = join(this.rejectedFolder, basename(path));
    await rename(path, rejectedPath);
    return rejectedPath;
  }
}

async function countFiles(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => FILE_NAME_PATTERN.test(name)).length;
}

function parseEntry(text: string): HistoryEntry {
  const entry = JSON.parse(text) as HistoryEntry;
  const { sessionId, localId, role, content } = entry;
  if (![sessionId, localId, role].every((id) => isIdentifier(id)) || !isText(content))
    throw new Error('The file is not a message.');
  return entry;
}
