import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { median } from '../run-benchmark-row';
import { RelayCallClient } from '../support/relay-call-client';
import { BenchProcess } from '../support/bench-process';
import { startRelayCluster } from '../support/relay-cluster';
import { DevicePool } from '../support/device-pool';
import { warmUpMeasurements } from '../support/read-measurement';

const CALLS = 200;

export const relayAcrossRow: BenchmarkRow = {
  name: 'relay-across',
  figure: 'relay across two instances, p50 at one in flight',
  against: 'two Redis hops and one local ack, measured alone',
  unit: 'ms',
  ratioGoal: { atMost: 2.2 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const { benchFixture, calls } = await startRelayCluster(benchCleanup, 2, 1);
      const env = { REDIS: benchFixture.redisUrl };
      const owner = benchCleanup.add(BenchProcess.start('bench/peers/hop-owner.ts', env));
      const ownerUrl = `http://127.0.0.1:${await owner.waitForMember<number>('port')}`;
      await benchCleanup.add(new DevicePool()).connectDevices(ownerUrl, ['a device']);
      const origin = benchCleanup.add(BenchProcess.start('bench/peers/hop-origin.ts', env));
      const relayCallClient = benchCleanup.add(new RelayCallClient(benchFixture.token));
      const measured = async () => median(await relayCallClient.measureCalls(calls, CALLS, 1));
      const peer = async () => median(await origin.sendRequest<number[]>({ run: CALLS }, 'took'));
      await warmUpMeasurements(12, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};
