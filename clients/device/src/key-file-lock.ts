import { randomUUID } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';
import { link, mkdir, open, readFile, readlink, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeviceReplacedError } from './client-errors';
import { getErrnoCode } from './exec/command-error';
import { identifyProcess, isRunning } from './exec/process-identity';
import { isJsonObject } from './untrusted-values';

/** How often the holder touches its lock, for processes that can't see whether it runs. */
const BEAT_MS = 10_000;
/** How long a lock without a beat must be watched until it counts as abandoned. */
const WATCH_MS = 25_000;
const POLL_MS = 250;

const FOLDER_ADVICE =
  'A machine keeps its work in files beside its key file, which may be a mounted secret: copy the key file to a ' +
  'folder that this user can write to, and name that copy with --key-file.';

/** Thrown while another process uses the key file. */
export class KeyFileInUseError extends Error {
  override readonly name = 'KeyFileInUseError';
}

/** Process that holds, or has left, a lock. */
export interface KeyFileHolder {
  pid: number;
  host: string;
  /** Start of the process in the format of {@link identifyProcess}; empty if unknown. */
  startedAt: string;
  /** Where `pid` has a meaning: this boot and these process numbers. */
  scope: string;
}

interface StoredLock {
  text: string;
  /** Undefined while the file is still being written, or if it is damaged. */
  holder: KeyFileHolder | undefined;
  modifiedAt: number;
}

export interface KeyFileLockOptions {
  /** Called when it takes up to `watchMs` to find out whether the holder still runs. */
  onWatch?: (holder: KeyFileHolder, watchMs: number) => void;
  /** @default 10000 */
  beatMs?: number;
  /** @default 25000 */
  watchMs?: number;
}

/**
 * Lock of a key file, which one process at a time can hold: the file `….lock` beside it, with the holder's process. A
 * lock whose process has ended is taken over, also if its number is used again. A process on another host or in another
 * container can't be seen, so its lock is watched: the holder touches it every ten seconds. No two clocks are compared.
 */
export class KeyFileLock {
  private readonly timer: NodeJS.Timeout;
  private rejectLost: (error: Error) => void = () => undefined;
  private readonly onExit = (): void => this.unlinkOwn();

  /** Rejects with DeviceReplacedError when another process has taken the lock, as during a sleep of this computer. */
  readonly lost = new Promise<never>((_, reject) => (this.rejectLost = reject));

  private constructor(
    private readonly path: string,
    private readonly text: string,
    beatMs: number,
  ) {
    this.lost.catch(() => undefined);
    this.timer = setInterval(() => void this.beat(), beatMs).unref();
    process.once('exit', this.onExit);
  }

  /**
   * @throws KeyFileInUseError with the process and the host that hold it
   * @throws Error if the lock can't be read or written
   */
  static async acquire(keyFile: string, options: KeyFileLockOptions = {}): Promise<KeyFileLock> {
    const { beatMs = BEAT_MS } = options;
    const path = `${keyFile}.lock`;
    const own = await describeOwnProcess();
    const text = JSON.stringify({ ...own, id: randomUUID() });
    while (!(await createLock(path, text))) {
      const stored = await readLock(path);
      if (!stored) continue;
      const verdict = await findVerdict(path, stored, own.scope, options);
      if (verdict === 'held') throw new KeyFileInUseError(formatInUse(keyFile, stored.holder));
      if (verdict === 'abandoned') await removeAbandoned(path, stored.text);
    }
    return new KeyFileLock(path, text, beatMs);
  }

  release(): void {
    clearInterval(this.timer);
    process.off('exit', this.onExit);
    this.unlinkOwn();
  }

  private async beat(): Promise<void> {
    const holder = await touchLock(this.path, this.text).catch(() => 'own' as const);
    if (holder === 'own') return;
    clearInterval(this.timer);
    this.rejectLost(new DeviceReplacedError(`Another process has taken over the key file: ${describe(holder)}.`));
  }

  private unlinkOwn(): void {
    try {
      if (readFileSync(this.path, 'utf8') === this.text) unlinkSync(this.path);
    } catch {
      // The lock is gone already, or its folder.
    }
  }
}

/**
 * Returns the process that has the key file, or undefined if none has it. `isSeen` is false for a process on another
 * host or in another container, which may have ended.
 */
export async function findKeyFileHolder(keyFile: string): Promise<(KeyFileHolder & { isSeen: boolean }) | undefined> {
  const holder = (await readLock(`${keyFile}.lock`))?.holder;
  if (!holder) return undefined;
  const isSeen = holder.startedAt !== '' && holder.scope === (await describeOwnProcess()).scope;
  return isSeen && !(await isRunning(holder)) ? undefined : { ...holder, isSeen };
}

async function describeOwnProcess(): Promise<KeyFileHolder> {
  const { pid } = process;
  const startedAt = (await identifyProcess(pid))?.startedAt ?? '';
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const numbers = await readlink('/proc/self/ns/pid').catch(() => '');
  return { pid, host: hostname(), startedAt, scope: boot ? `${boot.trim()} ${numbers}` : hostname() };
}

/** Returns false if there is a lock. */
async function createLock(path: string, text: string): Promise<boolean> {
  const fail = (error: unknown): never => {
    const advice = /^(EROFS|EACCES|EPERM)$/.test(getErrnoCode(error)) ? ` ${FOLDER_ADVICE}` : '';
    throw new Error(`The lock ${path} can't be written (${getErrnoCode(error)}).${advice}`, { cause: error });
  };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(fail);
  const file = await open(path, 'wx', 0o600).catch((error: unknown) =>
    getErrnoCode(error) === 'EEXIST' ? undefined : fail(error),
  );
  if (!file) return false;
  try {
    await file.writeFile(text);
    return true;
  } catch (error) {
    await rm(path, { force: true });
    return fail(error);
  } finally {
    await file.close();
  }
}

/** Opens the file each time, after which a network drive shows the current time of its change. */
async function readLock(path: string): Promise<StoredLock | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const text = await file.readFile('utf8');
      return { text, holder: parseHolder(text), modifiedAt: (await file.stat()).mtimeMs };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = getErrnoCode(error);
    if (code === 'ENOENT') return undefined;
    const advice = 'If no other user runs a machine with this key file, delete the lock.';
    throw new Error(`The lock ${path} can't be read (${code}). ${advice}`, { cause: error });
  }
}

function parseHolder(text: string): KeyFileHolder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return undefined;
    const { pid, host, startedAt, scope } = value;
    const isHolder = Number.isSafeInteger(pid) && [host, startedAt, scope].every((each) => typeof each === 'string');
    return isHolder ? (value as unknown as KeyFileHolder) : undefined;
  } catch {
    return undefined;
  }
}

/** `changed`: another process has replaced or removed the lock meanwhile. */
async function findVerdict(
  path: string,
  { text, holder, modifiedAt }: StoredLock,
  scope: string,
  { onWatch, watchMs = WATCH_MS }: KeyFileLockOptions,
): Promise<'held' | 'abandoned' | 'changed'> {
  if (holder?.startedAt && holder.scope === scope) return (await isRunning(holder)) ? 'held' : 'abandoned';
  // A lock without a holder is being written just now, except after a crash.
  if (holder) onWatch?.(holder, watchMs);
  for (const deadline = performance.now() + watchMs; performance.now() < deadline; await sleep(POLL_MS)) {
    const current = await readLock(path);
    if (current?.text !== text) return 'changed';
    if (current.modifiedAt !== modifiedAt) return 'held';
  }
  return 'abandoned';
}

/** Moves the lock away first, since another process may have replaced it. That one's lock is put back. */
async function removeAbandoned(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (getErrnoCode(error) === 'ENOENT') return;
    throw new Error(`The lock ${path} can't be replaced (${getErrnoCode(error)}).`, { cause: error });
  }
  const moved = await readFile(aside, 'utf8').catch(() => text);
  if (moved !== text)
    await link(aside, path).catch(async (error: unknown) => {
      // Some file systems, such as FAT, have no links.
      if (getErrnoCode(error) !== 'EEXIST') await rename(aside, path);
    });
  await rm(aside, { force: true });
}

/** Returns the holder of a lock that is no longer this process's. */
async function touchLock(path: string, text: string): Promise<'own' | KeyFileHolder | undefined> {
  const file = await open(path, 'r+').catch((error: unknown) => {
    if (getErrnoCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  // Somebody has deleted the lock by hand.
  if (!file) return (await createLock(path, text)) ? 'own' : touchLock(path, text);
  try {
    const current = await file.readFile('utf8');
    if (current !== text) return parseHolder(current);
    const now = new Date();
    await file.utimes(now, now);
    return 'own';
  } finally {
    await file.close();
  }
}

const describe = (holder: KeyFileHolder | undefined): string =>
  holder ? `process ${holder.pid} on ${holder.host}` : 'another process';

const formatInUse = (keyFile: string, holder: KeyFileHolder | undefined): string =>
  `The key file ${keyFile} is in use by ${describe(holder)}. A key file is for one running machine: ` +
  'stop that one, or pair this one with another --key-file.';
