import type { DeviceKind } from './api-records';
import type { DeviceState } from './device-state';
import { MemoryOutbox, type Outbox } from './history/outbox';

/** Where a device keeps its keys, and what it still has to send. */
export interface KeyStore {
  /** For messages to the person. */
  readonly location: string;
  load(kind: DeviceKind): Promise<DeviceState | undefined>;
  save(state: DeviceState): Promise<void>;
  outbox(): Outbox;
}

/** For a second process beside the one that serves with these keys: two that save would undo each other's changes. */
export function readOnly(store: KeyStore): KeyStore {
  return {
    location: store.location,
    load: (kind) => store.load(kind),
    save: () => Promise.resolve(),
    outbox: () => store.outbox(),
  };
}

/** For devices that live no longer than their process, as in tests. */
export class MemoryKeyStore implements KeyStore {
  readonly location = 'memory';
  private state: DeviceState | undefined;
  private readonly waiting = new MemoryOutbox();

  load(kind: DeviceKind): Promise<DeviceState | undefined> {
    return Promise.resolve(this.state?.kind === kind ? structuredClone(this.state) : undefined);
  }

  save(state: DeviceState): Promise<void> {
    this.state = structuredClone(state);
    return Promise.resolve();
  }

  outbox(): Outbox {
    return this.waiting;
  }
}
