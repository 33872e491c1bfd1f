import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { DeviceKind } from './api-records';
import { parseState, type DeviceState } from './device-state';
import type { KeyStore } from './key-store';

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
        throw new Error(
          `Others can read or write the key file. Take that away first: chmod 600 '${this.location}'`,
        );
      return this.parse(await file.readFile('utf8'), kind);
    } finally {
      await file.close();
    }
  }

  /** Atomic: a crash leaves the old file or the new one, never half of one. */
  async save(state: DeviceState): Promise<void> {
    const folder = dirname(this.location);
    const created = await mkdir(folder, { recursive: true, mode: 0o700 });
    // An unusual umask may have taken the owner's own rights.
    if (created) await chmod(folder, 0o700);
    const temporary = `${this.location}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.chmod(0o600);
        await file.writeFile(`${JSON.stringify(state, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.location);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(folder);
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

/** The rename itself has to reach the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
