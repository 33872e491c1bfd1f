import { BenchCleanup, type BenchComparison, type RatioGoal } from '../benchmark-row';
import { CallCpuMeter, type CallSample, type CpuSide } from '../support/call-cpu';
import { warmUpMeasurements } from '../support/read-measurement';

/** V8 optimizes the code of a call only after some ten thousand calls. A side with fewer measures the compiler. */
const WARM_UP_CALLS = 20_000;

/**
 * Compares the CPU time per call of two sides. Both are warmed up in turn: a side that waits for the whole warm-up of
 * the other one is cold again, and its next calls cost up to 1.6 times as much.
 */
export function openCpuComparison(
  callSample: CallSample,
  startMeasured: (benchCleanup: BenchCleanup) => Promise<CpuSide>,
  startPeer: (benchCleanup: BenchCleanup, measured: CpuSide) => Promise<CpuSide>,
): Promise<BenchComparison> {
  const benchCleanup = new BenchCleanup();
  return benchCleanup.runOrClose(async () => {
    const measuredSide = await startMeasured(benchCleanup);
    const peerSide = await startPeer(benchCleanup, measuredSide);
    const measured = new CallCpuMeter(measuredSide, callSample).measureCpu;
    const peer = new CallCpuMeter(peerSide, callSample).measureCpu;
    await warmUpMeasurements(WARM_UP_CALLS / callSample.calls, measured, peer);
    return { measured, peer, close: benchCleanup.close };
  });
}

/** Returns the goal on this Node.js: V8 and the async hooks of versions before 24 make a call cost twice as much. */
export function createGoalByNode(since24: number, before24: number): RatioGoal {
  return { atMost: Number(process.versions.node.split('.')[0]) >= 24 ? since24 : before24 };
}
