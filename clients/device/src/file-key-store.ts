import { open, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ClientDeviceKind } from './api-resources';
import { AttachmentFolder } from './attachments/attachment-folder';
import { parseDeviceState, type DeviceState } from './device-state';
import type { HistoryOutbox } from './history/history-outbox';
import { FileHistoryOutbox } from './history/file-history-outbox';
import { InvocationFiles } from './invocations/invocation-files';
import type { KeyStore } from './key-store';
import { writePrivateFile } from './private-file';
import { FileTurnJournal } from './turns/file-turn-journal';
import type { TurnJournal } from './turns/turn-journal';

export function getDefaultKeyFilePath(kind: ClientDeviceKind): string {
  return join(getHomeFolder(), '.config', 'external-api-device', `${kind}.json`);
}

/** @throws Error for a user without one, as in a container that runs as any user */
export function getHomeFolder(): string {
  try {
    const folder = homedir();
    if (folder !== '') return folder;
  } catch {
    // The user has no entry in the password file.
  }
  throw new Error('This user has no home folder. Set HOME, or name the key file with --key-file.');
}

/** Key store in a file that only its owner can read: mode 0600 in a folder of mode 0700. */
export class FileKeyStore implements KeyStore {
  readonly location: string;

  constructor(path: string) {
    this.location = resolve(path);
  }

  /** @throws Error when other users can access the file, or when it is not a key file of this kind */
  async loadState(kind: ClientDeviceKind): Promise<DeviceState | undefined> {
    const file = await open(this.location, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new Error(`The key file ${this.location} cannot be read: ${error.code}.`);
    });
    if (!file) return undefined;
    try {
      // Checks the open file instead of the path, so that the file can't be replaced between check and read.
      const { mode } = await file.stat();
      if ((mode & 0o077) !== 0)
        throw new Error(
          `Other users can read or write the key file. Restrict its permissions: chmod 600 '${this.location}'`,
        );
      return this.parseKeyFile(await file.readFile('utf8'), kind);
    } finally {
      await file.close();
    }
  }

  /** Doesn't write a state that the file has already, so that it may be read-only. */
  async saveState(state: DeviceState): Promise<void> {
    const text = `${JSON.stringify(state, null, 2)}\n`;
    const stored = await readFile(this.location, 'utf8').catch(() => undefined);
    if (text !== stored) await writePrivateFile(this.location, text);
  }

  /** File in which the running machine says how it is. */
  get statusFile(): string {
    return `${this.location}.status`;
  }

  /** Folder of the messages that the service has rejected. */
  get rejectedFolder(): string {
    return `${this.location}.rejected`;
  }

  /** Opens the outbox next to the key file. */
  openOutbox(): HistoryOutbox {
    return this.openFileOutbox();
  }

  /** Counts the messages that wait for the service, and those that it has rejected. Another process may run. */
  countMessages(): Promise<{ waiting: number; setAside: number }> {
    return this.openFileOutbox().countMessages();
  }

  /** Opens the journal of turns next to the key file. */
  openTurnJournal(): TurnJournal {
    return new FileTurnJournal(`${this.location}.turns`);
  }

  /** Opens the folder of files for agents next to the key file. */
  openAttachmentFolder(): AttachmentFolder {
    return new AttachmentFolder(`${this.location}.attachments`);
  }

  /** Opens the folder of invocations next to the key file. */
  openInvocationFiles(): InvocationFiles {
    return new InvocationFiles(`${this.location}.invocations`);
  }

  private openFileOutbox(): FileHistoryOutbox {
    return new FileHistoryOutbox(`${this.location}.outbox`, this.rejectedFolder);
  }

  private parseKeyFile(text: string, kind: ClientDeviceKind): DeviceState {
    try {
      return parseDeviceState(parseKeys(text), kind);
    } catch (error) {
      const reason = (error as Error).message;
      throw new Error(`The key file ${this.location} cannot be used: ${reason}.`, { cause: error });
    }
  }
}

/** Parses JSON. The error of `JSON.parse` would contain a part of the keys. */
function parseKeys(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('it is not valid JSON');
  }
}
