import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve as absolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Thrown when another running process uses the folder: two processes would corrupt the database. */
export class DataDirInUseError extends Error {
  constructor(dataDir: string) {
    super(
      `The data folder ${dataDir} is in use by another running process. ` +
        'Stop that process, or set another DATA_DIR for this one.',
    );
    this.name = 'DataDirInUseError';
  }
}

const LOCK_NAME_PATTERN = /^lock-[0-9a-f]{16}$/;
const MAX_ADDRESS_BYTES = 100;
const LOCK_PROBE_TIMEOUT_MS = 3_000;
const LOCK_POLL_INTERVAL_MS = 10;

/** State of another process's lock; `lost`: its connection ended without an answer. */
type LockState = 'claims' | 'holds' | 'dead' | 'lost';

/**
 * Lock of a data folder, which one process at a time can hold. A process is alive while it listens on a Unix socket in
 * the folder: the kernel closes the socket however the process ends, and process ids, which are meaningless in another
 * container, aren't needed.
 *
 * Each process first publishes its own socket and then probes the others, so that of two processes the later one always
 * sees the earlier. A process acquires the lock when all other sockets are dead. If several processes claim the lock at
 * once, the lowest name wins.
 */
export class DataDirLock {
  private readonly name = `lock-${randomBytes(8).toString('hex')}`;
  private readonly server: Server;
  private isHeld = false;

  private constructor(private readonly directory: string) {
    this.server = createServer((socket) => {
      socket.on('error', () => undefined).end((this.isHeld ? 'holds' : 'claims') satisfies LockState);
    });
  }

  /** @throws DataDirInUseError */
  static async acquireLock(dataDir: string): Promise<DataDirLock> {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const lock = new DataDirLock(absolute(dataDir));
    await runWithShortPath(lock.directory, async (dir) => {
      await lock.publishSocket(dir);
      lock.isHeld = await lock.isOnlyOwner(dir);
    });
    if (lock.isHeld) return lock;
    await lock.releaseLock();
    throw new DataDirInUseError(dataDir);
  }

  async releaseLock(): Promise<void> {
    rmSync(join(this.directory, this.name), { force: true });
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Renames the socket to its lock name once it listens: before that, other processes would consider it dead. */
  private async publishSocket(dir: string): Promise<void> {
    const temporaryPath = join(dir, `.${this.name}`);
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(temporaryPath, resolve);
    });
    this.server.unref();
    renameSync(temporaryPath, join(dir, this.name));
  }

  private async isOnlyOwner(dir: string): Promise<boolean> {
    for (const other of readdirSync(dir).filter((name) => LOCK_NAME_PATTERN.test(name) && name !== this.name)) {
      for (;;) {
        const state = await probeLock(join(dir, other));
        if (state === 'holds' || (state === 'claims' && other < this.name)) return false;
        if (state === 'dead') break;
        await sleep(LOCK_POLL_INTERVAL_MS);
      }
      // Names are never reused, so this can't remove the socket of a live process.
      rmSync(join(dir, other), { force: true });
    }
    return true;
  }
}

/** Returns the state of a lock. A silent process may be stopped or busy, and counts as the holder. */
function probeLock(path: string): Promise<LockState> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(path);
    socket.setTimeout(LOCK_PROBE_TIMEOUT_MS, () => {
      resolve('holds');
      socket.destroy();
    });
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve('dead');
      else resolve(code === 'ECONNRESET' || code === 'EPIPE' ? 'lost' : 'holds');
    });
    socket.once('close', () => resolve((received as LockState) || 'lost'));
  });
}

/** Uses a symbolic link if the path is too long for the address of a Unix socket (about 100 bytes). */
async function runWithShortPath(dir: string, work: (dir: string) => Promise<void>): Promise<void> {
  if (Buffer.byteLength(join(dir, `.lock-${'0'.repeat(16)}`)) <= MAX_ADDRESS_BYTES) return work(dir);
  const temporaryFolder = mkdtempSync(join(tmpdir(), 'lock-'));
  try {
    symlinkSync(dir, join(temporaryFolder, 'd'));
    await work(join(temporaryFolder, 'd'));
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true });
  }
}
