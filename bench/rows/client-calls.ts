import { rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installClient, packClient } from '../../test/support/clients/client-package';
import { BenchCleanup, type BenchComparison, type BenchmarkRow } from '../benchmark-row';
import { BenchFixture } from '../support/bench-fixture';
import { BenchProcess } from '../support/bench-process';
import { warmUpMeasurements } from '../support/read-measurement';

const CONCURRENT = 16;
const SECONDS = 1;

interface CallFigures {
  perSecond: number;
  cpuUsPerCall: number;
}

const against = 'fetch with the same headers, in the same process';

export const clientSequentialRow: BenchmarkRow = {
  name: 'client-sequential',
  figure: 'client.me(), one after the other',
  against,
  unit: '/s',
  ratioGoal: { atLeast: 0.9 },
  openComparison: () => openCallComparison(1, 'perSecond'),
};

export const clientConcurrentRow: BenchmarkRow = {
  name: 'client-concurrent',
  figure: `client.me(), ${CONCURRENT} in flight`,
  against,
  unit: '/s',
  ratioGoal: { atLeast: 0.9 },
  openComparison: () => openCallComparison(CONCURRENT, 'perSecond'),
};

export const clientCpuRow: BenchmarkRow = {
  name: 'client-cpu',
  figure: `CPU of the caller per client.me(), ${CONCURRENT} in flight`,
  against,
  unit: 'µs',
  ratioGoal: { atMost: 1.2 },
  openComparison: () => openCallComparison(CONCURRENT, 'cpuUsPerCall'),
};

/** Compares the packed and installed client with `fetch`, against one instance of the service. */
function openCallComparison(inFlight: number, figure: keyof CallFigures): Promise<BenchComparison> {
  const benchCleanup = new BenchCleanup();
  return benchCleanup.runOrClose(async () => {
    const benchFixture = benchCleanup.add(await BenchFixture.start());
    const caller = benchCleanup.add(
      BenchProcess.start('bench/support/client-calls-process.cjs', {
        CLIENT_MODULE: installPackedClient(benchCleanup),
        BASE_URL: benchFixture.firstInstance.url,
        TOKEN: benchFixture.token,
      }),
    );
    const createMeasurement = (side: 'client' | 'fetch') => async () => {
      const calls = { side, inFlight, seconds: SECONDS };
      return (await caller.sendRequest<CallFigures>({ calls }, 'calls'))[figure];
    };
    const measured = createMeasurement('client');
    const peer = createMeasurement('fetch');
    await warmUpMeasurements(4, measured, peer);
    return { measured, peer, close: benchCleanup.close };
  });
}

/** Packs and installs the client as a user would, prints its size and returns its main module. */
function installPackedClient(benchCleanup: BenchCleanup): string {
  const removeFolder = (path: string) => {
    benchCleanup.add({ stop: () => Promise.resolve(rmSync(path, { recursive: true, force: true })) });
  };
  const tarball = packClient('typescript');
  removeFolder(dirname(tarball));
  process.stderr.write(`packed client: ${(statSync(tarball).size / 1_024).toFixed(1)} KiB\n`);
  const folder = installClient(tarball);
  removeFolder(folder);
  return join(folder, 'node_modules', '@external-api', 'client', 'dist', 'index.js');
}
