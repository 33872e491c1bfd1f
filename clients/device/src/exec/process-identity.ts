import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { getErrnoCode } from './command-error';

/** A process by its number and the time of its start, since numbers are used again. */
export interface ProcessIdentity {
  pid: number;
  /** Format of the operating system. */
  startedAt: string;
}

/** Field 22 of `/proc/<pid>/stat`, counted from the state after the name, which may contain spaces. */
const START_TIME_FIELD = 19;

/** Whether this process still runs. One that has ended but whose parent hasn't noticed doesn't run any more. */
export async function isRunning({ pid, startedAt }: ProcessIdentity): Promise<boolean> {
  if ((await identifyProcess(pid))?.startedAt !== startedAt) return false;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/** Returns undefined for a process that doesn't exist, or of which nothing can be known. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = await readStartTime(pid).catch(() => undefined);
  return startedAt ? { pid, startedAt } : undefined;
}

/**
 * Kills the group of a process that an earlier run of this program has started, if that process still is the same.
 * @returns whether there was such a group
 */
export async function killLeftoverGroup(identity: ProcessIdentity): Promise<boolean> {
  const current = await identifyProcess(identity.pid);
  if (current?.startedAt !== identity.startedAt) return false;
  try {
    return process.kill(-identity.pid, 'SIGKILL');
  } catch {
    return false;
  }
}

async function readStartTime(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME_FIELD];
    return ticks && `${bootId.trim()}/${ticks}`;
  } catch (error) {
    if (getErrnoCode(error) !== 'ENOENT' || process.platform === 'linux') return undefined;
    // Another process may have another language and time zone, and must read the same.
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env });
    return stdout.trim() || undefined;
  }
}
