import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_INTERVAL_MS = 50;

/** Waits until no other process has the lock, and keeps it until this process ends. */
export async function acquireLock(file) {
  mkdirSync(dirname(file), { recursive: true });
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  while (!linkFile(own, file)) {
    if (!isRunning(readOwner(file))) removeAbandonedLock(file, `${own}.abandoned`);
    await sleep(POLL_INTERVAL_MS);
  }
  rmSync(own);
  process.once('exit', () => rmSync(file, { force: true }));
}

/** Another process may replace the lock after this one has read it, so it is moved away before it is removed. */
function removeAbandonedLock(file, moved) {
  try {
    renameSync(file, moved);
  } catch {
    return;
  }
  if (isRunning(readOwner(moved))) linkFile(moved, file);
  rmSync(moved);
}

/** @returns whether no such file was there */
function linkFile(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns the process of a lock, or this one for a lock that was released meanwhile. */
function readOwner(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return process.pid;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
