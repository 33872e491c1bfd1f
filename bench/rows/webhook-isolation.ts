import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { median } from '../run-benchmark-row';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { BenchFixture } from '../support/bench-fixture';
import { warmUpMeasurements } from '../support/read-measurement';
import {
  createBenchWebhook,
  EndpointProcess,
  insertPendingDeliveries,
  LOOPBACK_DELIVERY_ENV,
  changeWebhookState,
} from '../support/webhook-endpoint';

const STUCK = 100_000;
const DEAD_ENDPOINTS = 10;
const EVENTS = 50;

export const webhookIsolationRow: BenchmarkRow = {
  name: 'webhook-isolation',
  figure: `delay of a healthy endpoint, ${STUCK / 1_000},000 deliveries stuck on ${DEAD_ENDPOINTS} dead ones`,
  against: 'with none stuck',
  unit: 'ms',
  ratioGoal: { atMost: 1.5 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const silentServer = benchCleanup.add(await SilentServer.start());
      const [stuck, free] = [await startIsolationSide(benchCleanup), await startIsolationSide(benchCleanup)];
      for (let n = 0; n < DEAD_ENDPOINTS; n++) {
        const hook = await createBenchWebhook(stuck.benchFixture, silentServer.url, ['session.ended']);
        await changeWebhookState(stuck.benchFixture, hook, 'pause');
        await insertPendingDeliveries(stuck.benchFixture, hook, STUCK / DEAD_ENDPOINTS);
        await changeWebhookState(stuck.benchFixture, hook, 'resume');
      }
      await stuck.benchFixture.query('ANALYZE');
      await warmUpMeasurements(2, stuck.delay, free.delay);
      return { measured: stuck.delay, peer: free.delay, close: benchCleanup.close };
    });
  },
};

/** Starts an instance on its own database. `delay` measures the median delay of events to its healthy endpoint. */
async function startIsolationSide(benchCleanup: BenchCleanup) {
  const benchFixture = benchCleanup.add(await BenchFixture.start(1, LOOPBACK_DELIVERY_ENV));
  const endpointProcess = benchCleanup.add(await EndpointProcess.start());
  await createBenchWebhook(benchFixture, endpointProcess.url);
  const delay = async () => {
    const delays = await endpointProcess.measureDeliveries(EVENTS, async () => {
      for (let n = 0; n < EVENTS; n++) await benchFixture.ada.createSession(benchFixture.ada);
    });
    return median(delays);
  };
  return { benchFixture, delay };
}

/** Server that accepts connections and never responds. */
class SilentServer {
  private constructor(private readonly server: ReturnType<typeof createServer>) {}

  static async start(): Promise<SilentServer> {
    const server = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new SilentServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  stop = (): Promise<void> => {
    this.server.close();
    return Promise.resolve();
  };
}
