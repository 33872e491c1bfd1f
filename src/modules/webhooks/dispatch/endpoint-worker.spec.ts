import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookExchange } from '../../webhook-sending';
import { CLOSED_CIRCUIT } from './circuit-breaker';
import { EndpointWorker, type EndpointWorkerDependencies } from './endpoint-worker';

const DELIVERED_EXCHANGE: WebhookExchange = {
  status: 204,
  error: null,
  response: '',
  responseHeaders: null,
  retryAfter: null,
  sentAt: 0,
  durationMs: 1,
};
const ENDPOINT = { url: 'http://receiver.example/', isActive: true, owner: null, signingKeys: [] };

/** Creates an endpoint queue with these pending deliveries. */
class EndpointWorkerFixture {
  readonly sentIds: string[] = [];
  now = 0;
  readonly worker: EndpointWorker;

  constructor(ids: string[], overrides: Record<string, object> = {}) {
    const dependencies = {
      clock: { monotonicMs: () => this.now, currentDate: () => new Date(), now: () => Date.now() },
      config: { webhooks: { attemptTimeoutSeconds: 20 } },
      endpointQueues: { extendLease: () => Promise.resolve(true), ...overrides.endpointQueues },
      pendingDeliveries: {
        findDueDeliveries: (_: string, __: Date, activeIds: string[]) =>
          Promise.resolve(
            ids.filter((id) => !activeIds.includes(id) && !this.sentIds.includes(id)).map((id) => ({ id })),
          ),
      },
      endpointReader: { readEndpoint: () => Promise.resolve(ENDPOINT), ...overrides.endpointReader },
      attemptRunner: {
        runAttempt: (...[, , , { id }]: any[]) => this.recordDelivery(id),
        ...overrides.attemptRunner,
      },
    };
    const lease = { webhookId: 'whk_1', fencingToken: '1', circuitBreaker: CLOSED_CIRCUIT, backlogEvents: 0 };
    this.worker = new EndpointWorker(lease, 0, dependencies as unknown as EndpointWorkerDependencies);
  }

  recordDelivery(id: string) {
    this.sentIds.push(id);
    return Promise.resolve({ exchange: DELIVERED_EXCHANGE, isWritten: Promise.resolve(true) });
  }
}

describe('EndpointWorker', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'continues when a refresh is triggered %i microtasks after it reads the endpoint',
    async (ticks) => {
      const readEndpoint = () => {
        let next = Promise.resolve();
        for (let n = 0; n < ticks; n++) next = next.then(() => undefined);
        void next.then(() => endpointWorkerFixture.worker.triggerRefresh());
        return Promise.resolve(ENDPOINT);
      };
      const endpointWorkerFixture = new EndpointWorkerFixture(['dlv_1', 'dlv_2'], {
        endpointReader: { readEndpoint },
      });
      await endpointWorkerFixture.worker.runUntilIdle();
      expect(endpointWorkerFixture.sentIds).toEqual(['dlv_1', 'dlv_2']);
    },
  );

  it('rejects with the error of a failed attempt and leaves none in flight', async () => {
    let completeSecond = (): void => undefined;
    const secondCompletes = new Promise<void>((resolve) => (completeSecond = resolve));
    const endpointWorkerFixture: EndpointWorkerFixture = new EndpointWorkerFixture(['dlv_1', 'dlv_2'], {
      attemptRunner: {
        runAttempt: async (...[, , , { id }]: any[]) => {
          if (id === 'dlv_1') throw new Error('no more memory');
          await secondCompletes;
          return endpointWorkerFixture.recordDelivery(id);
        },
      },
    });
    let hasEnded = false;
    const run = endpointWorkerFixture.worker.runUntilIdle().finally(() => (hasEnded = true));
    const rejection = expect(run).rejects.toThrow('no more memory');
    await sleep(20);
    expect(hasEnded).toBe(false);
    completeSecond();
    await rejection;
    expect(endpointWorkerFixture.sentIds).toEqual(['dlv_2']);
  });

  it('starts no attempt that could outlast the lease', async () => {
    const order: string[] = [];
    const endpointWorkerFixture: EndpointWorkerFixture = new EndpointWorkerFixture(['dlv_1'], {
      endpointQueues: { extendLease: () => Promise.resolve(order.push('renewed') > 0) },
      endpointReader: {
        readEndpoint: () => {
          // The first response took that long.
          endpointWorkerFixture.now ||= 45_000;
          return Promise.resolve(ENDPOINT);
        },
      },
      attemptRunner: {
        runAttempt: () => {
          order.push('tried');
          return endpointWorkerFixture.recordDelivery('dlv_1');
        },
      },
    });
    await endpointWorkerFixture.worker.runUntilIdle();
    expect(order).toEqual(['renewed', 'tried']);
  });

  it('starts no attempt after a stop request and waits for those in flight', async () => {
    const ended: string[] = [];
    const endpointWorkerFixture: EndpointWorkerFixture = new EndpointWorkerFixture(
      Array.from({ length: 30 }, (_, n) => `dlv_${n}`),
      {
        attemptRunner: {
          runAttempt: async (...[, , , { id }]: any[]) => {
            endpointWorkerFixture.worker.requestStop();
            await sleep(20);
            ended.push(id);
            return endpointWorkerFixture.recordDelivery(id);
          },
        },
      },
    );
    await endpointWorkerFixture.worker.runUntilIdle();
    expect(endpointWorkerFixture.sentIds).toEqual(ended);
    expect(ended).toHaveLength(1);
  });
});
