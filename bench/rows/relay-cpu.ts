import { Closing, type Row } from '../row';
import { Caller } from '../support/caller';
import { startCluster, type Cluster } from '../support/cluster';
import { warmUp } from '../support/throughput';

const MANY = 8;
const FEW = 2;
const MACHINES = 8;
const IN_FLIGHT = 16;
const CALLS = 1_000;

export const relayCpu: Row = {
  name: 'relay-cpu',
  figure: `CPU per relay call, ${MANY} instances`,
  against: `with ${FEW}, each call crossing from one instance to another`,
  unit: 'µs',
  goal: { atMost: 1.3 },
  maxRounds: 5,
  open: () => {
    const closing = new Closing();
    return closing.guard(async () => {
      const many = await startCluster(closing, MANY, MACHINES);
      const few = await startCluster(closing, FEW, MACHINES);
      const measured = cpuPerCall(many, closing.add(new Caller(many.scene.token)));
      const peer = cpuPerCall(few, closing.add(new Caller(few.scene.token)));
      await warmUp(3, measured, peer);
      return { measured, peer, close: closing.close };
    });
  },
};

/** Of all instances together, bystanders included. */
function cpuPerCall({ scene, calls }: Cluster, caller: Caller) {
  const cpu = async () => {
    const each = await Promise.all(scene.instances.map(({ child }) => child.cpu()));
    return each.reduce((sum, us) => sum + us, 0);
  };
  return async () => {
    const before = await cpu();
    await caller.run(calls, CALLS, IN_FLIGHT);
    return ((await cpu()) - before) / CALLS;
  };
}
