import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { BenchProcess } from '../support/bench-process';
import { DevicePool } from '../support/device-pool';
import { LoadGenerator, type LoadRequest } from '../support/load-generator';
import { insertSignedInMachines } from '../support/machines';
import { BenchFixture } from '../support/bench-fixture';
import { warmUpMeasurements } from '../support/read-measurement';

const IN_FLIGHT = 64;
/** Enough devices for `IN_FLIGHT`: a device accepts 16 concurrent calls. */
const MACHINES = 8;
const BODY = JSON.stringify({ command: 'git', args: ['status', '--short'] });

export const relayRow: BenchmarkRow = {
  name: 'relay',
  figure: `relay, ${IN_FLIGHT} in flight, one instance`,
  against: 'a bare HTTP handler awaiting one socket.io ack',
  unit: '/s',
  ratioGoal: { atLeast: 0.7 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start());
      const loadGenerator = benchCleanup.add(new LoadGenerator());
      const bare = benchCleanup.add(BenchProcess.start('bench/peers/bare-relay.ts'));
      const bareUrl = `http://127.0.0.1:${await bare.waitForMember<number>('port')}`;
      const machines = await insertSignedInMachines(benchFixture, MACHINES);
      const tokens = machines.map(({ token }) => token);
      for (const url of [benchFixture.firstInstance.url, bareUrl])
        await benchCleanup.add(new DevicePool()).connectDevices(url, tokens);

      const headers = { Authorization: `Bearer ${benchFixture.token}`, 'Content-Type': 'application/json' };
      const post = (path: string): LoadRequest => ({ method: 'POST', path, headers, body: BODY });
      const invokes = machines.map(({ machineId }) => post(`/external/v1/machines/${machineId}/invoke`));
      const measured = () => loadGenerator.measureThroughput(benchFixture.firstInstance.url, invokes, IN_FLIGHT, 1);
      const acks = tokens.map((token) => post(`/${token}`));
      const peer = () => loadGenerator.measureThroughput(bareUrl, acks, IN_FLIGHT, 1);
      await warmUpMeasurements(6, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};
