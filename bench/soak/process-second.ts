import { readThreadTimes, subtractThreadTimes, type ThreadTimesById } from '../support/process-cpu';

/** How the threads of a part were scheduled, in ms per second. */
export interface ProcessSecond {
  /** Time on a core, of all threads together. */
  ran: number;
  /** Time in which threads were ready to run but had no core, of all threads together. */
  waited: number;
  /** The same of the thread that waited longest. */
  longestWait: number;
}

/** Reads the scheduling of a part's processes second by second. */
export class ProcessSampler {
  private before: ThreadTimesById;
  private readAt = performance.now();

  /** @param listPids processes of the part, which may start and end */
  constructor(private readonly listPids: () => number[]) {
    this.before = readThreadTimes(listPids());
  }

  /** Returns the times since the last call, per second: a busy machine delays readings. */
  takeSecond(): ProcessSecond {
    const after = readThreadTimes(this.listPids());
    const times = subtractThreadTimes(this.before, after);
    this.before = after;
    const seconds = (performance.now() - this.readAt) / 1_000;
    this.readAt = performance.now();
    const toMs = (ns: number) => ns / 1e6 / seconds;
    const waits = times.map(({ waitNs }) => toMs(waitNs));
    return {
      ran: toMs(times.reduce((sum, { runNs }) => sum + runNs, 0)),
      waited: waits.reduce((sum, wait) => sum + wait, 0),
      longestWait: Math.max(0, ...waits),
    };
  }
}
