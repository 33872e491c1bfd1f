import { freePort } from '../../test/support/free-port';
import type { Closing } from '../row';
import { Child } from '../support/child';
import { Devices } from '../support/devices';
import { insertFleet, type FleetAccount } from '../support/fleet';
import { startOwnBackend } from '../support/own-backend';
import { Scene } from '../support/scene';
import { createWebhookFor, Endpoint } from '../support/webhooks';

const MACHINES_EACH = 5;
/** One account of so many has a webhook. */
const SUBSCRIBED = 5;
/** Sockets in one process: its answers are to be no slower for the number of its devices. */
const DEVICES_A_PROCESS = 2_500;

/** What runs while it is soaked: an instance, its devices, whoever calls, and an endpoint for webhooks. */
export interface Ground {
  scene: Scene;
  load: Child;
  endpoint: Endpoint;
  metricsUrl: string;
}

export async function startGround(closing: Closing, devices: number): Promise<Ground> {
  const metricsPort = await freePort();
  const backend = await startOwnBackend(['fsync=on']);
  const scene = closing.add(await Scene.start(1, { METRICS_PORT: String(metricsPort) }, backend));
  const endpoint = closing.add(await Endpoint.start());
  const fleet = await insertFleet(scene, Math.ceil(devices / MACHINES_EACH), MACHINES_EACH);
  const subscribers = fleet.filter((_, i) => i % SUBSCRIBED === 0);
  for (const { token } of subscribers) await createWebhookFor(scene, token, endpoint.url, ['message.created']);
  await connectAll(closing, scene, tokensOf(fleet).slice(0, devices));
  await scene.first.child.watchHeld();

  const load = closing.add(Child.start('bench/soak/load-process.ts'));
  const prepare = {
    url: scene.first.url,
    fleet,
    subscribers: subscribers.map(({ accountId }) => accountId),
  };
  await load.ask({ prepare }, 'prepared');
  return { scene, load, endpoint, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
}

async function connectAll(closing: Closing, scene: Scene, tokens: string[]): Promise<void> {
  for (let from = 0; from < tokens.length; from += DEVICES_A_PROCESS) {
    const some = closing.add(new Devices());
    await some.connect(scene.first.url, tokens.slice(from, from + DEVICES_A_PROCESS));
  }
}

function tokensOf(fleet: FleetAccount[]): string[] {
  return fleet.flatMap(({ machines }) => machines.map(({ token }) => token));
}
