import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { RelayCallClient } from '../support/relay-call-client';
import { startRelayCluster, type RelayCluster } from '../support/relay-cluster';
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
      const many = await startRelayCluster(benchCleanup, MANY, MACHINES);
      const few = await startRelayCluster(benchCleanup, FEW, MACHINES);
      const measured = createCpuMeasurement(many, benchCleanup.add(new RelayCallClient(many.benchFixture.token)));
      const peer = createCpuMeasurement(few, benchCleanup.add(new RelayCallClient(few.benchFixture.token)));
      await warmUpMeasurements(3, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};

/** Measures the CPU time per call of all instances together, including those without calls. */
function createCpuMeasurement({ benchFixture, calls }: RelayCluster, relayCallClient: RelayCallClient) {
  const cpu = async () => {
    const each = await Promise.all(benchFixture.instances.map(({ benchProcess: child }) => child.readCpuUs()));
    return each.reduce((sum, us) => sum + us, 0);
  };
  return async () => {
    const before = await cpu();
    await relayCallClient.measureCalls(calls, CALLS, IN_FLIGHT);
    return ((await cpu()) - before) / CALLS;
  };
}
