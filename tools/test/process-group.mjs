import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long processes may take to exit by themselves after Jest, such as its workers and their children. */
const GRACE_MS = 3_000;

/** Returns the processes of a group, without zombies. Empty on systems without /proc. */
export function listGroup(group) {
  if (!existsSync('/proc/self/stat')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)))
    .filter((process) => process.group === group && process.state !== 'Z');
}

/** Waits until the other processes of an ended leader have exited, or kills them and prints their commands. */
export async function killGroup(group) {
  for (let waitedMs = 0; waitedMs < GRACE_MS && hasMembers(group); waitedMs += 50) await sleep(50);
  const left = listGroup(group);
  for (const { pid, command } of left) process.stdout.write(`Killed a process that tests left: ${pid} ${command}\n`);
  if (hasMembers(group)) process.kill(-group, 'SIGKILL');
}

function hasMembers(group) {
  if (existsSync('/proc/self/stat')) return listGroup(group).length > 0;
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

function readProcess(pid) {
  try {
    const [, state, , group] = /\) (\S) (\d+) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return [{ pid, state, group: Number(group), command: command.slice(0, 200) }];
  } catch {
    // The process has exited meanwhile.
    return [];
  }
}
