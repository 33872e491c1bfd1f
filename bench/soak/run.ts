import { setTimeout as sleep } from 'node:timers/promises';
import type { Closing } from '../row';
import { startGround, type Ground } from './ground';
import { measurePeak, type Peak } from './peak';
import { quantilesOf, type CallerSecond, type Quantiles } from './second';
import { readService, type ServiceSecond } from './service-second';
import { workUs } from './yardstick';

export interface SoakOptions {
  minutes: number;
  devices: number;
  /** Of the measured peak. */
  share: number;
}

/** All that was seen at the end of one second. */
export interface Second extends CallerSecond {
  /** Seconds since the load began. */
  at: number;
  service: ServiceSecond;
  deliveries: Quantiles | null;
  /** CPU that a fixed piece of work took: whether the machine keeps its speed. */
  workUs: number;
}

export interface SoakRun extends Peak {
  /** Calls begun per second. */
  rate: number;
  seconds: Second[];
  /** Errors of the calls that were still under way when the load ended. */
  lastErrors: Record<string, number>;
  webhooks: WebhookEnd;
}

/** What became of the events that had a subscriber. */
export interface WebhookEnd {
  /** Messages of subscribed accounts that were acknowledged, those of the ramp among them. */
  expected: number;
  delivered: number;
  /** Neither delivered nor given up when the wait for them ended. */
  waiting: number;
  failed: number;
}

/** How long the last deliveries may take. */
const DRAIN_MS = 30_000;
const DRAIN_POLL_MS = 500;
/** Beyond the load itself: its last calls, and a machine that is busy. */
const PATIENCE_MS = 90_000;

export async function soak(closing: Closing, { minutes, devices, share }: SoakOptions): Promise<SoakRun> {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  say(`${devices.toLocaleString('en')} devices connect …`);
  const ground = await startGround(closing, devices);
  say('the peak …');
  const peak = await measurePeak(ground.load);
  const rate = Math.round(peak.peak * share);
  say(`${rate} calls a second for ${minutes} minutes …`);
  await ground.endpoint.take();
  const { seconds, lastErrors, events } = await watch(ground, rate, minutes * 60);
  const webhooks = await drained(ground, events);
  return { ...peak, rate, seconds, lastErrors, webhooks };
}

async function watch(ground: Ground, rate: number, length: number) {
  const seconds: Second[] = [];
  let lastErrors: Record<string, number> = {};
  let told = 0;
  let reading: Promise<void> = Promise.resolve();
  const stop = ground.load.listen((message) => {
    const { second, last } = message as { second?: CallerSecond; last?: true };
    if (second && last) lastErrors = second.errors;
    else if (second) {
      const at = ++told;
      // One after the other: an answer over IPC is told from the next by its name alone.
      reading = reading.then(async () => {
        const service = await readService(ground);
        const deliveries = quantilesOf(await ground.endpoint.take());
        seconds.push({ at, ...second, service, deliveries, workUs: workUs() });
      });
      // It is awaited at the end.
      reading.catch(() => undefined);
    }
  });
  const events = await ground.load.ask<number>(
    { open: { rate, seconds: length } },
    'events',
    length * 1_000 + PATIENCE_MS,
  );
  stop();
  await reading;
  return { seconds, lastErrors, events };
}

/** Waits until the last event is delivered, or long enough. */
async function drained({ scene }: Ground, expected: number): Promise<WebhookEnd> {
  const giveUpAt = performance.now() + DRAIN_MS;
  for (;;) {
    const [row] = await scene.query<Omit<WebhookEnd, 'expected'>>(
      `SELECT count(*) FILTER (WHERE state = 'delivered')::int AS delivered,
              count(*) FILTER (WHERE state IN ('failed', 'cancelled'))::int AS failed,
              count(*) FILTER (WHERE state = 'pending')::int + (SELECT count(*)::int FROM webhook_outbox) AS waiting
         FROM webhook_deliveries`,
    );
    if (row!.waiting === 0 || performance.now() > giveUpAt) return { expected, ...row! };
    await sleep(DRAIN_POLL_MS);
  }
}
