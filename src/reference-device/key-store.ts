import type { DeviceKind } from './api-records';
import type { DeviceState } from './device-state';

/** Where a device keeps its keys. */
export interface KeyStore {
  /** For messages to the person. */
  readonly location: string;
  load(kind: DeviceKind): Promise<DeviceState | undefined>;
  save(state: DeviceState): Promise<void>;
}

/** For devices that live no longer than their process, as in tests. */
export class MemoryKeyStore implements KeyStore {
  readonly location = 'memory';
  private state: DeviceState | undefined;

  load(kind: DeviceKind): Promise<DeviceState | undefined> {
    return Promise.resolve(this.state?.kind === kind ? structuredClone(this.state) : undefined);
  }

  save(state: DeviceState): Promise<void> {
    this.state = structuredClone(state);
    return Promise.resolve();
  }
}
