import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { median } from '../run-row';
import { Closing, type Row } from '../row';
import { Scene } from '../support/scene';
import { warmUp } from '../support/throughput';
import { createWebhook, Endpoint, insertDeliveries, LOOPBACK, turn } from '../support/webhooks';

const STUCK = 100_000;
const DEAD_ENDPOINTS = 10;
const EVENTS = 50;

export const webhookIsolation: Row = {
  name: 'webhook-isolation',
  figure: `delay of a healthy endpoint, ${STUCK / 1_000},000 deliveries stuck on ${DEAD_ENDPOINTS} dead ones`,
  against: 'with none stuck',
  unit: 'ms',
  goal: { atMost: 1.5 },
  open: () => {
    const closing = new Closing();
    return closing.guard(async () => {
      const silent = closing.add(await Silent.start());
      const [stuck, free] = [await side(closing), await side(closing)];
      for (let n = 0; n < DEAD_ENDPOINTS; n++) {
        const hook = await createWebhook(stuck.scene, silent.url, ['session.ended']);
        await turn(stuck.scene, hook, 'pause');
        await insertDeliveries(stuck.scene, hook, STUCK / DEAD_ENDPOINTS);
        await turn(stuck.scene, hook, 'resume');
      }
      await stuck.scene.query('ANALYZE');
      await warmUp(2, stuck.delay, free.delay);
      return { measured: stuck.delay, peer: free.delay, close: closing.close };
    });
  },
};

/** One instance on a database of its own, and the median delay of events to its healthy endpoint. */
async function side(closing: Closing) {
  const scene = closing.add(await Scene.start(1, LOOPBACK));
  const endpoint = closing.add(await Endpoint.start());
  await createWebhook(scene, endpoint.url);
  const delay = async () => {
    const delays = await endpoint.receive(EVENTS, async () => {
      for (let n = 0; n < EVENTS; n++) await scene.ada.openSession(scene.ada);
    });
    return median(delays);
  };
  return { scene, delay };
}

/** Takes connections and never answers. */
class Silent {
  private constructor(private readonly server: ReturnType<typeof createServer>) {}

  static async start(): Promise<Silent> {
    const server = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Silent(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  stop = (): Promise<void> => {
    this.server.close();
    return Promise.resolve();
  };
}
