import { setTimeout as sleep } from 'node:timers/promises';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { BenchProcess } from '../support/bench-process';
import { DevicePool } from '../support/device-pool';
import { insertSignedInMachines } from '../support/machines';
import { BenchFixture } from '../support/bench-fixture';
import { warmUpMeasurements } from '../support/read-measurement';

const SOCKETS = 1_000;
/** Database writes after a connection or disconnection are asynchronous. */
const SETTLE_MS = 1_000;

export const socketMemoryRow: BenchmarkRow = {
  name: 'socket-memory',
  figure: `memory per idle device socket, ${SOCKETS} of them`,
  against: "a bare socket.io server's",
  unit: 'B',
  ratioGoal: { atMost: 1.3 },
  maxRounds: 3,
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start());
      const bare = benchCleanup.add(BenchProcess.start('bench/peers/bare-sockets.ts'));
      const bareUrl = `http://127.0.0.1:${await bare.waitForMember<number>('port')}`;
      const devicePool = benchCleanup.add(new DevicePool());
      const tokens = (await insertSignedInMachines(benchFixture, SOCKETS)).map(({ token }) => token);

      const perSocket = (benchProcess: BenchProcess, url: string) => async () => {
        const before = await benchProcess.readMemoryBytes();
        await devicePool.connectDevices(url, tokens);
        await sleep(SETTLE_MS);
        const after = await benchProcess.readMemoryBytes();
        await devicePool.disconnectAll();
        await sleep(SETTLE_MS);
        return (after - before) / SOCKETS;
      };
      const measured = perSocket(benchFixture.firstInstance.benchProcess, benchFixture.firstInstance.url);
      const peer = perSocket(bare, bareUrl);
      await warmUpMeasurements(1, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};
