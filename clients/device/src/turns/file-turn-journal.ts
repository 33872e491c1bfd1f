import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { REPORTED_TURN_STATES } from '@external-api/protocol';
import { writePrivateFile } from '../private-file';
import { loadPrivateFiles } from '../private-folder';
import { isIdentifier, isInteger, isJsonObject, isText, isTime } from '../untrusted-values';
import type { OnDamagedEntry, TurnEntry, TurnJournal } from './turn-journal';

const FILE_NAME_PATTERN = /^[0-9a-f]{32}\.json$/;

/** Journal with one file per turn. The message in it is ciphertext, and the data key is in the key file. */
export class FileTurnJournal implements TurnJournal {
  constructor(private readonly folder: string) {}

  async loadEntries(onDamaged: OnDamagedEntry = () => undefined): Promise<TurnEntry[]> {
    const files = await loadPrivateFiles(this.folder, FILE_NAME_PATTERN, parseEntry, (problem, error) => {
      onDamaged(problem, error instanceof DamagedEntryError ? error.turn : undefined);
    });
    return files.map(({ value }) => value).sort((a, b) => a.createdAt - b.createdAt);
  }

  saveEntry(entry: TurnEntry): Promise<void> {
    return writePrivateFile(this.getPath(entry.requestId), JSON.stringify(entry));
  }

  deleteEntry(requestId: string): Promise<void> {
    return rm(this.getPath(requestId), { force: true });
  }

  /** Hashes the id, which comes from the service and could contain a path. */
  private getPath(requestId: string): string {
    return join(this.folder, `${createHash('sha256').update(requestId).digest('hex').slice(0, 32)}.json`);
  }
}

/** Thrown for an entry that isn't one, but names its turn. */
class DamagedEntryError extends Error {
  constructor(readonly turn: Pick<TurnEntry, 'requestId' | 'sessionId'>) {
    super('The file is not a turn.');
  }
}

function parseEntry(text: string): TurnEntry {
  const entry = JSON.parse(text) as TurnEntry;
  const { requestId, sessionId, prompt, report, deadline, createdAt } = entry;
  if (!isIdentifier(requestId) || !isIdentifier(sessionId)) throw new Error('The file is not a turn.');
  const isComplete = isText(prompt) && isTime(deadline) && isTime(createdAt) && isJsonObject(report);
  if (!isComplete || !isInteger(report.revision, 1) || !REPORTED_TURN_STATES.includes(report.state))
    throw new DamagedEntryError({ requestId, sessionId });
  return entry;
}
