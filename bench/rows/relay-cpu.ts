import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { BenchFixture } from '../support/bench-fixture';
import { CallClient } from '../support/call-client';
import { createRelayCalls } from '../support/relay-cluster';
import { warmUpMeasurements } from '../support/read-measurement';

const MANY = 8;
const FEW = 2;
const MACHINES = 8;
const IN_FLIGHT = 16;
const CALLS = 1_000;

export const relayCpuRow: BenchmarkRow = {
  name: 'relay-cpu',
  figure: `CPU per relay call, ${MANY} instances`,
  against: `with ${FEW}, each call crossing from one instance to another`,
  unit: 'µs',
  ratioGoal: { atMost: 1.3 },
  maxRounds: 5,
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const measured = await startSide(benchCleanup, MANY);
      const peer = await startSide(benchCleanup, FEW);
      await warmUpMeasurements(3, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};

/** Measures the CPU time per call of all instances together, including those without calls. */
async function startSide(benchCleanup: BenchCleanup, instances: number) {
  const benchFixture = benchCleanup.add(await BenchFixture.start(instances));
  const callClient = new CallClient(await createRelayCalls(benchCleanup, benchFixture, MACHINES));
  const cpu = async () => {
    const each = await Promise.all(benchFixture.instances.map(({ benchProcess: child }) => child.readCpuUs()));
    return each.reduce((sum, us) => sum + us, 0);
  };
  return async () => {
    const before = await cpu();
    await callClient.measureCalls(CALLS, IN_FLIGHT);
    return ((await cpu()) - before) / CALLS;
  };
}
