import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve as absolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The folder belongs to another running process; two on one folder would ruin the database. */
export class DataDirInUseError extends Error {
  constructor(dataDir: string) {
    super(
      `The data folder ${dataDir} is in use by another running process. ` +
        'Stop that one, or give this one a DATA_DIR of its own.',
    );
    this.name = 'DataDirInUseError';
  }
}

const NAME = /^lock-[0-9a-f]{16}$/;
const MAX_ADDRESS_BYTES = 100;
const SILENCE_MS = 3_000;
const POLL_MS = 10;

/** Of another process's socket; `lost`: it went away while it was asked. */
type State = 'claims' | 'holds' | 'dead' | 'lost';

/**
 * Holds a folder for one process at a time by a listening Unix socket in it: the kernel ends the listening with
 * the process, however it dies, and a process id that means nothing in another container plays no part.
 *
 * Each process shows a socket of its own first and looks for others then, so of two the later one always sees the
 * earlier. It holds the folder once every other is gone; of several that claim it, the lowest name stays.
 */
export class DataDirLock {
  private readonly name = `lock-${randomBytes(8).toString('hex')}`;
  private readonly server: Server;
  private holds = false;

  private constructor(private readonly dir: string) {
    this.server = createServer((socket) => {
      socket.on('error', () => undefined).end((this.holds ? 'holds' : 'claims') satisfies State);
    });
  }

  /** @throws DataDirInUseError */
  static async acquire(dataDir: string): Promise<DataDirLock> {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const lock = new DataDirLock(absolute(dataDir));
    await withShortName(lock.dir, async (dir) => {
      await lock.show(dir);
      lock.holds = await lock.isAlone(dir);
    });
    if (lock.holds) return lock;
    await lock.release();
    throw new DataDirInUseError(dataDir);
  }

  async release(): Promise<void> {
    rmSync(join(this.dir, this.name), { force: true });
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Named only once it listens: before, it would look dead. */
  private async show(dir: string): Promise<void> {
    const draft = join(dir, `.${this.name}`);
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(draft, resolve);
    });
    this.server.unref();
    renameSync(draft, join(dir, this.name));
  }

  private async isAlone(dir: string): Promise<boolean> {
    for (const other of readdirSync(dir).filter((name) => NAME.test(name) && name !== this.name)) {
      for (;;) {
        const state = await ask(join(dir, other));
        if (state === 'holds' || (state === 'claims' && other < this.name)) return false;
        if (state === 'dead') break;
        await sleep(POLL_MS);
      }
      // Names are never used again, so nobody's living socket is removed here.
      rmSync(join(dir, other), { force: true });
    }
    return true;
  }
}

/** Who is silent is stopped or busy, and may hold the folder. */
function ask(path: string): Promise<State> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(path);
    socket.setTimeout(SILENCE_MS, () => {
      resolve('holds');
      socket.destroy();
    });
    socket.on('data', (chunk) => (said += chunk.toString()));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve('dead');
      else resolve(code === 'ECONNRESET' || code === 'EPIPE' ? 'lost' : 'holds');
    });
    socket.once('close', () => resolve((said as State) || 'lost'));
  });
}

/** A Unix socket's address holds about 100 bytes: a deep folder is reached through a link. */
async function withShortName(dir: string, work: (dir: string) => Promise<void>): Promise<void> {
  if (Buffer.byteLength(join(dir, `.lock-${'0'.repeat(16)}`)) <= MAX_ADDRESS_BYTES) return work(dir);
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  try {
    symlinkSync(dir, join(folder, 'd'));
    await work(join(folder, 'd'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
