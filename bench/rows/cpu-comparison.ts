import { BenchCleanup, type BenchComparison, type RatioGoal } from '../benchmark-row';
import { CallCpuMeter, type CallSample, type CpuSide } from '../support/call-cpu';

/** Compares the CPU time per call of two sides, after as many calls to warm up each. */
export function openCpuComparison(
  callSample: CallSample,
  startMeasured: (benchCleanup: BenchCleanup) => Promise<CpuSide>,
  startPeer: (benchCleanup: BenchCleanup, measured: CpuSide) => Promise<CpuSide>,
): Promise<BenchComparison> {
  const benchCleanup = new BenchCleanup();
  return benchCleanup.runOrClose(async () => {
    const measuredSide = await startMeasured(benchCleanup);
    const peerSide = await startPeer(benchCleanup, measuredSide);
    const measured = new CallCpuMeter(measuredSide, callSample);
    const peer = new CallCpuMeter(peerSide, callSample);
    await measured.warmUp();
    await peer.warmUp();
    return { measured: measured.measureCpu, peer: peer.measureCpu, close: benchCleanup.close };
  });
}

/** Returns the goal on this Node.js: V8 and the async hooks of versions before 24 make a call cost twice as much. */
export function createGoalByNode(since24: number, before24: number): RatioGoal {
  return { atMost: Number(process.versions.node.split('.')[0]) >= 24 ? since24 : before24 };
}
