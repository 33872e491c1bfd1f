import type { ClientDeviceKind } from './api-resources';
import type { DeviceState } from './device-state';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AttachmentFolder } from './attachments/attachment-folder';
import { MemoryHistoryOutbox, type HistoryOutbox } from './history/history-outbox';
import { InvocationFiles } from './invocations/invocation-files';
import { MemoryTurnJournal, type TurnJournal } from './turns/turn-journal';

/** Storage of a device's keys, of its unsent history, of its open turns, of files for agents and of its invocations. */
export interface KeyStore {
  /** Location for messages to the user. */
  readonly location: string;
  loadState(kind: ClientDeviceKind): Promise<DeviceState | undefined>;
  saveState(state: DeviceState): Promise<void>;
  openOutbox(): HistoryOutbox;
  openTurnJournal(): TurnJournal;
  openAttachmentFolder(): AttachmentFolder;
  openInvocationFiles(): InvocationFiles;
}

/** Returns a store for a second process with the same keys. It never saves, since two writers would lose updates. */
export function createReadOnlyStore(store: KeyStore): KeyStore {
  return {
    location: store.location,
    loadState: (kind) => store.loadState(kind),
    saveState: () => Promise.resolve(),
    openOutbox: () => store.openOutbox(),
    openTurnJournal: () => store.openTurnJournal(),
    openAttachmentFolder: () => store.openAttachmentFolder(),
    openInvocationFiles: () => store.openInvocationFiles(),
  };
}

/** In-memory key store, for tests and other short-lived devices. */
export class MemoryKeyStore implements KeyStore {
  readonly location = 'memory';
  private state: DeviceState | undefined;
  private readonly historyOutbox = new MemoryHistoryOutbox();
  private readonly turnJournal = new MemoryTurnJournal();

  loadState(kind: ClientDeviceKind): Promise<DeviceState | undefined> {
    return Promise.resolve(this.state?.kind === kind ? structuredClone(this.state) : undefined);
  }

  saveState(state: DeviceState): Promise<void> {
    this.state = structuredClone(state);
    return Promise.resolve();
  }

  openOutbox(): HistoryOutbox {
    return this.historyOutbox;
  }

  openTurnJournal(): TurnJournal {
    return this.turnJournal;
  }

  /** Opens a folder of the operating system's, since agents read the files. It lasts until the stop. */
  openAttachmentFolder(): AttachmentFolder {
    const isTemporary = true;
    return new AttachmentFolder(createTemporaryPath('device-attachments'), isTemporary);
  }

  /** Opens a folder of the operating system's, since outputs are too large for the memory. It lasts until the stop. */
  openInvocationFiles(): InvocationFiles {
    const isTemporary = true;
    return new InvocationFiles(createTemporaryPath('device-invocations'), isTemporary);
  }
}

const createTemporaryPath = (name: string): string => join(tmpdir(), `${name}-${randomBytes(8).toString('hex')}`);
