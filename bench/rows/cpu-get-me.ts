import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import type { CallSample, CpuSide } from '../support/call-cpu';
import { startDedicatedFixture } from '../support/dedicated-fixture';
import { startOrdinaryApp } from '../support/ordinary-app';
import { createGoalByNode, openCpuComparison } from './cpu-comparison';

const PATH = '/external/v1/me';
const CALL_SAMPLE: CallSample = { calls: 4_000, inFlight: 32 };

export const cpuGetMeRow: BenchmarkRow = {
  name: 'cpu-get-me',
  figure: `CPU of GET /me, ${CALL_SAMPLE.inFlight} in flight`,
  against: 'an ordinary Nest app of the same packages',
  unit: 'µs',
  ratioGoal: createGoalByNode(0.18, 0.33),
  openComparison: () => openCpuComparison(CALL_SAMPLE, startGetMeService, startPeer),
  openCheckoutComparison: (folder) =>
    openCpuComparison(CALL_SAMPLE, startGetMeService, (benchCleanup) => startGetMeService(benchCleanup, folder)),
};

export async function startGetMeService(benchCleanup: BenchCleanup, folder?: string): Promise<CpuSide> {
  const { benchFixture, measuredParts } = await startDedicatedFixture(benchCleanup, 1, folder);
  const { token, firstInstance } = benchFixture;
  return { measuredParts, requests: [{ method: 'GET', url: firstInstance.url + PATH, token }] };
}

async function startPeer(benchCleanup: BenchCleanup): Promise<CpuSide> {
  const { measuredParts, urls, token } = await startOrdinaryApp(benchCleanup, 1, 0);
  return { measuredParts, requests: [{ method: 'GET', url: urls[0]! + PATH, token }] };
}
