import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { BenchProcess } from '../support/bench-process';
import { BenchFixture } from '../support/bench-fixture';
import { warmUpMeasurements } from '../support/read-measurement';
import {
  createBenchWebhook,
  EndpointProcess,
  insertPendingDeliveries,
  LOOPBACK_DELIVERY_ENV,
  EVENT_PAYLOAD,
  changeWebhookState,
} from '../support/webhook-endpoint';

/** The service sends ten concurrent attempts per endpoint; the peer gets the same concurrency. */
const ENDPOINTS = 4;
const IN_FLIGHT = 10 * ENDPOINTS;
const COUNT = 20_000;

export const webhookThroughputRow: BenchmarkRow = {
  name: 'webhook-throughput',
  figure: `webhook deliveries, one process, ${ENDPOINTS} endpoints`,
  against: `a bare undici loop with HMAC, ${IN_FLIGHT} in flight`,
  unit: '/s',
  ratioGoal: { atLeast: 0.5 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start(1, LOOPBACK_DELIVERY_ENV));
      const endpointProcess = benchCleanup.add(await EndpointProcess.start());
      const bare = benchCleanup.add(BenchProcess.start('bench/peers/bare-webhooks.ts'));
      const hooks: string[] = [];
      for (let n = 0; n < ENDPOINTS; n++) hooks.push(await createBenchWebhook(benchFixture, endpointProcess.url));

      const measured = async () => {
        for (const hook of hooks) {
          await changeWebhookState(benchFixture, hook, 'pause');
          await insertPendingDeliveries(benchFixture, hook, COUNT / ENDPOINTS);
        }
        const startedAt = performance.now();
        await endpointProcess.measureDeliveries(COUNT, () =>
          Promise.all(hooks.map((hook) => changeWebhookState(benchFixture, hook, 'resume'))),
        );
        return (COUNT * 1_000) / (performance.now() - startedAt);
      };
      const batch = { url: endpointProcess.url, count: COUNT, inFlight: IN_FLIGHT, body: EVENT_PAYLOAD };
      const peer = () => bare.sendRequest<number>({ deliver: batch }, 'rate');
      await warmUpMeasurements(3, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};
