import { createBackend } from '../../test/support/backend';
import { BenchCleanup, type BenchComparison, type BenchmarkRow, type DetailedValue } from '../benchmark-row';
import { measureCommandCpuMs } from '../support/command-cpu';
import { warmUpMeasurements } from '../support/read-measurement';
import { findServiceMain } from '../support/service-checkout';
import { startService } from '../support/service-start';

type BackendKind = 'services' | 'embedded';

export const startRow = createRow('start', 'on PostgreSQL', 'services', 900);
export const startEmbeddedRow = createRow('start-embedded', 'on a new embedded database', 'embedded', 2_000);

function createRow(name: string, where: string, backendKind: BackendKind, limitMs: number): BenchmarkRow {
  const prepareStart = backendKind === 'services' ? prepareServicesStart : prepareFirstStart;
  return {
    name,
    figure: `CPU from the start of the service until it listens, ${where}`,
    against: `${limitMs} ms`,
    unit: 'ms',
    ratioGoal: { atMost: 1 },
    openComparison: () => openComparison(prepareStart, () => Promise.resolve(() => Promise.resolve(limitMs))),
    openCheckoutComparison: (folder) =>
      openComparison(prepareStart, (benchCleanup) => prepareStart(benchCleanup, findServiceMain(folder))),
  };
}

type PrepareStart = (benchCleanup: BenchCleanup, main: string) => Promise<() => Promise<number>>;

function openComparison(
  prepareStart: PrepareStart,
  preparePeer: (benchCleanup: BenchCleanup) => Promise<() => Promise<number>>,
): Promise<BenchComparison> {
  const benchCleanup = new BenchCleanup();
  return benchCleanup.runOrClose(async () => {
    const measureStart = await prepareStart(benchCleanup, findServiceMain());
    const measured = async (): Promise<DetailedValue> => ({
      value: await measureStart(),
      details: { 'node -e 0, ms': await measureCommandCpuMs(process.execPath, '-e', '0') },
    });
    const peer = await preparePeer(benchCleanup);
    await warmUpMeasurements(1, measured, peer);
    return { measured, peer, close: benchCleanup.close };
  });
}

/** Migrates a database, and returns a measurement of the starts after that. */
async function prepareServicesStart(benchCleanup: BenchCleanup, main: string): Promise<() => Promise<number>> {
  const backend = await createBackend('services');
  benchCleanup.add({ stop: () => backend.dispose() });
  const measureStart = () => measureStartMs(main, backend.env);
  await measureStart();
  return measureStart;
}

/** Returns a measurement of a start on a new folder, in which the service creates and migrates its database. */
function prepareFirstStart(_benchCleanup: BenchCleanup, main: string): Promise<() => Promise<number>> {
  return Promise.resolve(async () => {
    const backend = await createBackend('embedded');
    try {
      return await measureStartMs(main, backend.env);
    } finally {
      await backend.dispose();
    }
  });
}

async function measureStartMs(main: string, env: NodeJS.ProcessEnv): Promise<number> {
  const { benchProcess, startCpuMs } = await startService(main, env);
  await benchProcess.stop();
  return startCpuMs;
}
