import { linkSync, mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../errors.ts';
import { createWriteError } from './credential-file.ts';

const WAIT_MS = 30_000;
/** Errors of file systems that have no hard links, such as FAT and some network drives. */
const NO_LINKS = /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/;

/**
 * Runs `work` while no other process holds the lock. A lock whose process has ended is taken over; no clock decides.
 * @throws CliError if the lock isn't free in time
 */
export async function withFileLock<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw createWriteError(path, error);
  }
  const mark = `${process.pid} ${randomUUID()}`;
  const deadline = performance.now() + WAIT_MS;
  while (!tryAcquire(path, mark)) {
    if (performance.now() > deadline)
      throw new CliError(`Another process of xapi holds ${path}.`, { hint: 'Delete this file if none is running.' });
    removeStale(path);
    await sleep(20 + Math.random() * 40);
  }
  try {
    return await work();
  } finally {
    if (readMark(path) === mark) unlinkSync(path);
  }
}

/** A hard link creates the lock together with its mark, or fails if it exists. Without links, its mark comes later. */
function tryAcquire(path: string, mark: string): boolean {
  const own = `${path}.${mark.split(' ')[1]}`;
  try {
    writeFileSync(own, mark, { mode: 0o600 });
    linkOrCreate(own, path, mark);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw createWriteError(path, error);
  } finally {
    rmSync(own, { force: true });
  }
}

function linkOrCreate(own: string, path: string, mark: string): void {
  try {
    linkSync(own, path);
  } catch (error) {
    if (!NO_LINKS.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    writeFileSync(path, mark, { flag: 'wx', mode: 0o600 });
  }
}

/**
 * Removes the lock of a process that has ended. A file named after that lock lets one process at a time do so, since
 * the second of two could remove the lock that another process has acquired meanwhile.
 */
function removeStale(path: string): void {
  const mark = readMark(path);
  const [pid, id] = mark?.split(' ') ?? [];
  if (mark === undefined || isRunning(Number(pid))) return;
  const claim = `${path}.${id}.stale`;
  try {
    writeFileSync(claim, '', { flag: 'wx', mode: 0o600 });
  } catch {
    return; // Another process removes it.
  }
  try {
    if (readMark(path) === mark) rmSync(path, { force: true });
  } finally {
    rmSync(claim, { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function readMark(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
