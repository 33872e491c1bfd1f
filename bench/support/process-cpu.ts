import { readdirSync, readFileSync } from 'node:fs';

/** Scheduling of a thread since its start, in ns. */
export interface ThreadTimes {
  /** Time on a core. */
  runNs: number;
  /** Time ready to run, but waiting for a core. */
  waitNs: number;
}

/** Times of threads by `process/thread`. */
export type ThreadTimesById = Map<string, ThreadTimes>;

/**
 * Reads the times of all threads of processes from `/proc/PID/task/TID/schedstat`, in which Linux counts ns.
 * `process.cpuUsage` would need an answer of the process, and PostgreSQL and Redis give none.
 * @throws Error without `/proc`, such as on macOS
 */
export function readThreadTimes(pids: readonly number[]): ThreadTimesById {
  const threadTimes: ThreadTimesById = new Map();
  for (const pid of pids) {
    for (const tid of listThreads(pid)) {
      const times = readOrSkip(`/proc/${pid}/task/${tid}/schedstat`);
      if (times === null) continue;
      const [runNs, waitNs] = times.split(' ').map(Number);
      threadTimes.set(`${pid}/${tid}`, { runNs: runNs!, waitNs: waitNs! });
    }
  }
  if (threadTimes.size === 0) throw new Error('no CPU times in /proc: this needs Linux and running processes');
  return threadTimes;
}

/** Returns the times between two readings by thread. Threads that have ended meanwhile are not included. */
export function subtractThreadTimes(before: ThreadTimesById, after: ThreadTimesById): ThreadTimes[] {
  return [...after].map(([thread, { runNs, waitNs }]) => {
    const start = before.get(thread);
    return { runNs: runNs - (start?.runNs ?? 0), waitNs: waitNs - (start?.waitNs ?? 0) };
  });
}

/** Returns the CPU time of all threads between two readings, in µs. */
export function computeCpuUs(before: ThreadTimesById, after: ThreadTimesById): number {
  return subtractThreadTimes(before, after).reduce((sum, { runNs }) => sum + runNs, 0) / 1_000;
}

/** Returns the process and all processes that it has started, and those of these. */
export function listProcessTree(pid: number): number[] {
  const children = listThreads(pid).flatMap(
    (tid) => readOrSkip(`/proc/${pid}/task/${tid}/children`)?.match(/\d+/g) ?? [],
  );
  return [pid, ...children.flatMap((child) => listProcessTree(Number(child)))];
}

/** Returns no threads if the process has ended. */
function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function readOrSkip(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The thread has ended since it was listed.
    return null;
  }
}
