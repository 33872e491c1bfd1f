import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the CPU time of a process in ticks of a hundredth of a second. */
const TICK_US = 10_000;
/** CPU of a process, its children that live and those that have ended, in µs; one of them is left out. */
export function cpuOfTree(server: number, without: number): number {
  let ticks = statOf(server).endedTicks;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === without) continue;
    const stat = tryStatOf(pid);
    if (pid === server || stat.parent === server) ticks += stat.ticks;
  }
  return ticks * TICK_US;
}

export function parentOf(pid: number): number {
  return statOf(pid).parent;
}

interface Stat {
  parent: number;
  ticks: number;
  /** Of children that have ended and were waited for. */
  endedTicks: number;
}

/** proc(5): after the name in parentheses come state, parent, …; fields 14 to 17 are utime, stime, cutime, cstime. */
function statOf(pid: number): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [utime, stime, cutime, cstime] = fields.slice(11, 15) as [number, number, number, number];
  return { parent: fields[1]!, ticks: utime + stime, endedTicks: cutime + cstime };
}

function tryStatOf(pid: number): Stat {
  try {
    return statOf(pid);
  } catch {
    return { parent: 0, ticks: 0, endedTicks: 0 };
  }
}
