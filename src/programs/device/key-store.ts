import type { ClientDeviceKind } from './api-resources';
import type { DeviceState } from './device-state';
import { MemoryHistoryOutbox, type HistoryOutbox } from './history/history-outbox';

/** Storage of a device's keys and of its unsent history. */
export interface KeyStore {
  /** Location for messages to the user. */
  readonly location: string;
  loadState(kind: ClientDeviceKind): Promise<DeviceState | undefined>;
  saveState(state: DeviceState): Promise<void>;
  openOutbox(): HistoryOutbox;
}

/** Returns a store for a second process with the same keys. It never saves, since two writers would lose updates. */
export function createReadOnlyStore(store: KeyStore): KeyStore {
  return {
    location: store.location,
    loadState: (kind) => store.loadState(kind),
    saveState: () => Promise.resolve(),
    openOutbox: () => store.openOutbox(),
  };
}

/** In-memory key store, for tests and other short-lived devices. */
export class MemoryKeyStore implements KeyStore {
  readonly location = 'memory';
  private state: DeviceState | undefined;
  private readonly historyOutbox = new MemoryHistoryOutbox();

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
}
