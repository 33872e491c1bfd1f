import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { REPORTED_TURN_STATES } from '@external-api/protocol';
import { getErrnoCode } from '../exec/command-error';
import { appendPrivateLine, syncPrivateFile, writePrivateFile } from '../private-file';
import { hashId, loadPrivateFiles } from '../private-folder';
import { isIdentifier, isInteger, isJsonObject, isText, isTime } from '../untrusted-values';
import type { OnDamagedEntry, TurnEntry, TurnJournal } from './turn-journal';

const FILE_NAME_PATTERN = /^[0-9a-f]{32}\.json$/;
/** A file that a line would make longer is replaced: an agent can change the state of a turn without end. */
const MAX_FILE_LENGTH = 1024 * 1024;

/**
 * Journal with one file per turn. The message in it is ciphertext, and the data key is in the key file. A state of a
 * turn that was prompted is added as a line, which takes one sync instead of two. The last complete line counts.
 */
export class FileTurnJournal implements TurnJournal {
  /** Lengths of the files that this run has written, by the ids of their turns. */
  private readonly fileLengths = new Map<string, number>();

  constructor(private readonly folder: string) {}

  async loadEntries(onDamaged: OnDamagedEntry = () => undefined): Promise<TurnEntry[]> {
    const files = await loadPrivateFiles(this.folder, FILE_NAME_PATTERN, parseEntry, (problem, error) => {
      onDamaged(problem, error instanceof DamagedEntryError ? error.turn : undefined);
    });
    return files.map(({ value }) => value).sort((a, b) => a.createdAt - b.createdAt);
  }

  async saveEntry(entry: TurnEntry, isSynced: boolean): Promise<void> {
    const { requestId, isPrompted, isSettled } = entry;
    const path = this.getPath(requestId);
    const text = JSON.stringify(entry);
    const isOpen = isPrompted && !isSettled;
    const length = (this.fileLengths.get(requestId) ?? MAX_FILE_LENGTH) + 1 + text.length;
    if (isOpen && length <= MAX_FILE_LENGTH) {
      const isAdded = await appendPrivateLine(path, text, isSynced).then(
        () => true,
        (error: unknown) => {
          if (getErrnoCode(error) !== 'ENOENT') throw error;
          return false;
        },
      );
      if (isAdded) return void this.fileLengths.set(requestId, length);
    }
    // A file that takes the place of one with the mark must not lose it.
    await writePrivateFile(path, text, isSynced || isOpen);
    this.fileLengths.set(requestId, text.length);
  }

  syncEntry(requestId: string): Promise<void> {
    return syncPrivateFile(this.getPath(requestId));
  }

  deleteEntry(requestId: string): Promise<void> {
    this.fileLengths.delete(requestId);
    return rm(this.getPath(requestId), { force: true });
  }

  private getPath(requestId: string): string {
    return join(this.folder, `${hashId(requestId)}.json`);
  }
}

/** Thrown for an entry that isn't one, but names its turn. */
class DamagedEntryError extends Error {
  constructor(readonly turn: Pick<TurnEntry, 'requestId' | 'sessionId'>) {
    super('The file is not a turn.');
  }
}

function parseEntry(text: string): TurnEntry {
  const entry = parseLastLine(text.split('\n'));
  const { requestId, sessionId, prompt, report, deadline, createdAt } = entry;
  if (!isIdentifier(requestId) || !isIdentifier(sessionId)) throw new Error('The file is not a turn.');
  const isComplete = isText(prompt) && isTime(deadline) && isTime(createdAt) && isJsonObject(report);
  if (!isComplete || !isInteger(report.revision, 1) || !REPORTED_TURN_STATES.includes(report.state))
    throw new DamagedEntryError({ requestId, sessionId });
  return entry;
}

/** Leaves out a last line that was not written to its end: what it says was not done yet. */
function parseLastLine(lines: string[]): TurnEntry {
  try {
    return JSON.parse(lines.at(-1) ?? '') as TurnEntry;
  } catch (error) {
    if (lines.length === 1) throw error;
    return parseLastLine(lines.slice(0, -1));
  }
}
