import { BenchCleanup, type BenchmarkRow, type RatioGoal } from '../benchmark-row';
import type { CallSample, CpuSide } from '../support/call-cpu';
import { startDedicatedFixture } from '../support/dedicated-fixture';
import { startOrdinaryApp } from '../support/ordinary-app';
import { connectAcross, createRelayCalls } from '../support/relay-cluster';
import { createGoalByNode, openCpuComparison } from './cpu-comparison';

const INSTANCES = 2;
/** A device accepts 16 concurrent calls. */
const MACHINES = 8;

export const cpuRelayRow = createRow('cpu-relay', { calls: 2_000, inFlight: 16 }, createGoalByNode(0.28, 0.4));
export const cpuRelayOneRow = createRow('cpu-relay-one', { calls: 1_000, inFlight: 1 }, createGoalByNode(0.42, 0.55));

function createRow(name: string, callSample: CallSample, ratioGoal: RatioGoal): BenchmarkRow {
  return {
    name,
    figure: `CPU of a relayed call across two instances, ${callSample.inFlight} in flight`,
    against: "the ordinary Nest app with socket.io's Redis adapter",
    unit: 'µs',
    ratioGoal,
    openComparison: () => openCpuComparison(callSample, startService, startPeer),
    openCheckoutComparison: (folder) =>
      openCpuComparison(callSample, startService, (benchCleanup) => startService(benchCleanup, folder)),
  };
}

async function startService(benchCleanup: BenchCleanup, folder?: string): Promise<CpuSide> {
  const { benchFixture, measuredParts } = await startDedicatedFixture(benchCleanup, INSTANCES, folder);
  return { measuredParts, requests: await createRelayCalls(benchCleanup, benchFixture, MACHINES) };
}

async function startPeer(benchCleanup: BenchCleanup): Promise<CpuSide> {
  const { measuredParts, urls, token, machines } = await startOrdinaryApp(benchCleanup, INSTANCES, MACHINES);
  return { measuredParts, requests: await connectAcross(benchCleanup, urls, machines, token) };
}
