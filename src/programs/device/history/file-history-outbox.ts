import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { writePrivateFile } from '../private-file';
import { loadPrivateFiles } from '../private-folder';
import { isIdentifier, isText } from '../untrusted-values';
import type { HistoryEntry, OutboxEntry, HistoryOutbox } from './history-outbox';

const FILE_NAME_PATTERN = /^(\d{12})-[0-9a-f]{8}\.json$/;

/** Outbox with one file per pending message. The names sort in order of creation; the content is ciphertext. */
export class FileHistoryOutbox implements HistoryOutbox {
  private nextNumber = 1;

  constructor(private readonly folder: string) {}

  async loadEntries(onProblem: (problem: string) => void = () => undefined): Promise<OutboxEntry[]> {
    const files = await loadPrivateFiles(this.folder, FILE_NAME_PATTERN, parseEntry, onProblem);
    const [, lastNumber = 0] = FILE_NAME_PATTERN.exec(basename(files.at(-1)?.path ?? '')) ?? [];
    this.nextNumber = Number(lastNumber) + 1;
    return files.map(({ path, value }) => ({ entry: value, remove: () => removeFile(path) }));
  }

  async storeEntry(entry: HistoryEntry): Promise<OutboxEntry> {
    const number = String(this.nextNumber++).padStart(12, '0');
    const path = join(this.folder, `${number}-${randomBytes(4).toString('hex')}.json`);
    await writePrivateFile(path, JSON.stringify(entry));
    return { entry, remove: () => removeFile(path) };
  }
}

const removeFile = (path: string): Promise<void> => rm(path, { force: true });

function parseEntry(text: string): HistoryEntry {
  const entry = JSON.parse(text) as HistoryEntry;
  const { sessionId, localId, role, content } = entry;
  if (![sessionId, localId, role].every((id) => isIdentifier(id)) || !isText(content))
    throw new Error('The file is not a message.');
  return entry;
}
