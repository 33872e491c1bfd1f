import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { getErrnoCode } from './command-error';

/** A process by its number and the time of its start, since numbers are used again. */
export interface ProcessIdentity {
  pid: number;
  /** Format of the operating system. */
  startedAt: string;
}

/** Fields 5, 20 and 22 of `/proc/<pid>/stat`, counted from the state after the name, which may contain spaces. */
const GROUP_FIELD = 2;
const THREADS_FIELD = 17;
const START_TIME_FIELD = 19;

/** Whether this process still runs. One that has ended but whose parent hasn't noticed doesn't run any more. */
export async function isRunning({ pid, startedAt }: ProcessIdentity): Promise<boolean> {
  if ((await identifyProcess(pid))?.startedAt !== startedAt) return false;
  return !hasEnded(splitStat(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
}

/**
 * Returns a process of the group that still runs, or undefined if all have ended and only wait to be removed, which
 * never happens where process 1 doesn't do it. Returns the leader if nothing can be known.
 * @param candidate is looked at first
 */
export function findRunningMember(groupId: number, candidate: number): number | undefined {
  if (isRunningMember(candidate, groupId)) return candidate;
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const members = pids.map(Number).filter((pid) => isMember(readStatSync(pid), groupId));
    return members.length === 0 ? groupId : members.find((pid) => isRunningMember(pid, groupId));
  } catch {
    return groupId;
  }
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
    const ticks = splitStat(stat)[START_TIME_FIELD];
    return ticks && `${bootId.trim()}/${ticks}`;
  } catch (error) {
    if (getErrnoCode(error) !== 'ENOENT' || process.platform === 'linux') return undefined;
    // Another process may have another language and time zone, and must read the same.
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env });
    return stdout.trim() || undefined;
  }
}

function isRunningMember(pid: number, groupId: number): boolean {
  const fields = readStatSync(pid);
  return isMember(fields, groupId) && !hasEnded(fields);
}

const isMember = (fields: readonly string[], groupId: number): boolean => Number(fields[GROUP_FIELD]) === groupId;

/** The first thread may have ended before the others. */
const hasEnded = ([state = '', ...rest]: readonly string[]): boolean =>
  /^[ZX]/.test(state) && !(Number(rest[THREADS_FIELD - 1]) > 1);

function readStatSync(pid: number): string[] {
  try {
    return splitStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return [];
  }
}

const splitStat = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');
