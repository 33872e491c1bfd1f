import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetAccount } from '../../support/fleet';
import { createWebhookFor, Endpoint } from '../../support/webhooks';
import { addCost, costOf, lessThan, type Cost } from '../deed';
import type { Lab } from '../lab';
import { append } from './messages';
import { copyOutbox } from './rows';

const TIMES = 400;
/** Events a second over all lanes, so that each lane is taken for one event, sent, and given back. */
const PACE_MS = 20;

/**
 * What an event costs more because somebody subscribes to it: outbox, fan-out, lane, try and what is written of it. Its
 * cause is a message, at the same pace with and without a subscriber.
 */
export async function measureDeliveries(
  lab: Lab,
  subscribers: FleetAccount[],
  others: FleetAccount[],
  idle: Cost,
): Promise<void> {
  const { figures, scene } = lab;
  const endpoint = await Endpoint.start();
  try {
    for (const { token } of subscribers) await createWebhookFor(scene, token, endpoint.url, ['message.created']);
    const told = await costOf(lab, idle, {
      times: TIMES,
      run: (times) => endpoint.receive(times, () => paced(lab, subscribers, times)),
    });
    const untold = await costOf(lab, idle, {
      times: TIMES,
      run: (times) => paced(lab, others, times),
    });
    const what = 'event to one subscriber whose lane was idle, from outbox to delivered';
    addCost(figures, 'Delivery', what, lessThan(told, untold), false);
    await copyOutbox(lab);
    await endpoint.receive(TIMES, () => paced(lab, subscribers, TIMES));
  } finally {
    await endpoint.stop();
  }
}

async function paced({ origin, sender }: Lab, accounts: FleetAccount[], times: number): Promise<void> {
  const sent: Promise<void>[] = [];
  for (let i = 0; i < times; i++) {
    const sending = append(`${origin.url}/v1/sessions`, accounts[i % accounts.length]!);
    sent.push(sender.sendAll(() => sending, 1, 1));
    await sleep(PACE_MS);
  }
  await Promise.all(sent);
}
