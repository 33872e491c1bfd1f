import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DeviceKind } from './api-records';
import { parseState, type DeviceState } from './device-state';
import type { Outbox } from './history/outbox';
import { OutboxFolder } from './history/outbox-folder';
import type { KeyStore } from './key-store';
import { writePrivateFile } from './private-file';

export function defaultKeyFile(kind: DeviceKind): string {
  return join(homedir(), '.config', 'external-api-device', `${kind}.json`);
}

/** A file that only its owner can read: mode 0600 in a folder of mode 0700. */
export class KeyFile implements KeyStore {
  readonly location: string;

  constructor(path: string) {
    this.location = resolve(path);
  }

  /** @throws Error when others can read the file, or it is not a key file of that kind */
  async load(kind: DeviceKind): Promise<DeviceState | undefined> {
    const file = await open(this.location, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new Error(`The key file ${this.location} cannot be read: ${error.code}.`);
    });
    if (!file) return undefined;
    try {
      // Of the open file, not of the path: what is checked is what is read.
      const { mode } = await file.stat();
      if ((mode & 0o077) !== 0)
        throw new Error(`Others can read or write the key file. Take that away first: chmod 600 '${this.location}'`);
      return this.parse(await file.readFile('utf8'), kind);
    } finally {
      await file.close();
    }
  }

  save(state: DeviceState): Promise<void> {
    return writePrivateFile(this.location, `${JSON.stringify(state, null, 2)}\n`);
  }

  /** Beside the key file. */
  outbox(): Outbox {
    return new OutboxFolder(`${this.location}.outbox`);
  }

  private parse(text: string, kind: DeviceKind): DeviceState {
    try {
      return parseState(JSON.parse(text), kind);
    } catch (error) {
      const reason = (error as Error).message;
      throw new Error(`The key file ${this.location} cannot be used: ${reason}.`, { cause: error });
    }
  }
}
