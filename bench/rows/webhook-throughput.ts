import { Closing, type Row } from '../row';
import { Child } from '../support/child';
import { Scene } from '../support/scene';
import { warmUp } from '../support/throughput';
import { createWebhook, Endpoint, insertDeliveries, LOOPBACK, PAYLOAD, turn } from '../support/webhooks';

/** Ten at once for each: as many in flight on either side. */
const ENDPOINTS = 4;
const IN_FLIGHT = 10 * ENDPOINTS;
const COUNT = 20_000;

export const webhookThroughput: Row = {
  name: 'webhook-throughput',
  figure: `webhook deliveries, one process, ${ENDPOINTS} endpoints`,
  against: `a bare undici loop with HMAC, ${IN_FLIGHT} in flight`,
  unit: '/s',
  goal: { atLeast: 0.5 },
  open: () => {
    const closing = new Closing();
    return closing.guard(async () => {
      const scene = closing.add(await Scene.start(1, LOOPBACK));
      const endpoint = closing.add(await Endpoint.start());
      const bare = closing.add(Child.start('bench/peers/bare-webhooks.ts'));
      const hooks: string[] = [];
      for (let n = 0; n < ENDPOINTS; n++) hooks.push(await createWebhook(scene, endpoint.url));

      const measured = async () => {
        for (const hook of hooks) {
          await turn(scene, hook, 'pause');
          await insertDeliveries(scene, hook, COUNT / ENDPOINTS);
        }
        const startedAt = performance.now();
        await endpoint.receive(COUNT, () => Promise.all(hooks.map((hook) => turn(scene, hook, 'resume'))));
        return (COUNT * 1_000) / (performance.now() - startedAt);
      };
      const order = { url: endpoint.url, count: COUNT, inFlight: IN_FLIGHT, body: PAYLOAD };
      const peer = () => bare.ask<number>({ deliver: order }, 'rate');
      await warmUp(3, measured, peer);
      return { measured, peer, close: closing.close };
    });
  },
};
