import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const PROGRAM = join(__dirname, 'bystander-process.mjs');
const BASELINE_MS = 2_000;
/** Latencies below this count as equal, because a busy machine can cause them. */
const MIN_BASELINE_LATENCY_MS = 100;

/** Latencies in ms of the calls that ended in one period. */
export interface LatencySummary {
  count: number;
  p50: number;
  max: number;
  /** Calls with another status than 200. */
  failures: number;
}

/** Caller of another account than the attacker's, which calls continuously from its own process. */
export class Bystander {
  private samples: { ms: number; status: number }[] = [];

  private constructor(private readonly child: ChildProcess) {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const [ms, status] = line.split(' ').map(Number);
      this.samples.push({ ms: ms!, status: status! });
    });
  }

  static async start(url: string, token: string): Promise<Bystander> {
    const child = spawn(process.execPath, [PROGRAM, url, token], { stdio: ['ignore', 'pipe', 'inherit'] });
    const bystander = new Bystander(child);
    await once(child.stdout, 'data');
    return bystander;
  }

  /** Returns the latencies during `attack`. At least one call ends after the start of the attack. */
  async measureDuring(attack: () => Promise<unknown>): Promise<LatencySummary> {
    this.samples = [];
    await attack();
    const seen = this.samples.length;
    // A call that hangs because of the attack counts, regardless of its duration.
    while (this.samples.length <= seen) await sleep(5);
    return summarizeLatencies(this.samples);
  }

  /** Returns the latencies of a period without an attack. */
  measureBaseline(): Promise<LatencySummary> {
    return this.measureDuring(() => sleep(BASELINE_MS));
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await exited;
  }
}

/** Returns the ratio of the slowest calls during an attack and in calm. */
export function computeSlowdown(baseline: LatencySummary, attacked: LatencySummary): number {
  return attacked.max / Math.max(baseline.max, MIN_BASELINE_LATENCY_MS);
}

function summarizeLatencies(samples: { ms: number; status: number }[]): LatencySummary {
  const sorted = samples.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    count: sorted.length,
    p50: sorted[Math.floor(sorted.length / 2)]!,
    max: sorted.at(-1)!,
    failures: samples.filter(({ status }) => status !== 200).length,
  };
}
