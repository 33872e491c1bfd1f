import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchCleanup } from '../benchmark-row';
import type { TurnCounts } from './agent-turns';
import { startSoakSetup, type SoakSetup } from './soak-setup';
import { measurePeak, type PeakMeasurement } from './peak';
import { computeQuantiles, type CallerSecond, type LatencyQuantiles } from './call-recorder';
import { ServiceSampler, type ServiceSecond } from './service-second';
import { SystemSampler, type SystemSecond } from './system-second';
import { formatSecond } from './waits-report';
import { measureBaselineUs } from './baseline';

export interface SoakOptions {
  minutes: number;
  devices: number;
  /** Share of the measured peak, 0 to 1. */
  share: number;
  /** Length of each rate of the open loop that finds the peak. */
  stepSeconds: number;
}

/** Measurements of one second. */
export interface SoakSecond extends CallerSecond {
  /** Seconds since the start of the load. */
  at: number;
  service: ServiceSecond;
  system: SystemSecond;
  deliveries: LatencyQuantiles | null;
  /** CPU time of a fixed piece of work, which shows the speed of the machine. */
  workUs: number;
}

export interface SoakRun extends PeakMeasurement {
  /** Calls started per second. */
  rate: number;
  seconds: SoakSecond[];
  /** Errors of the calls that were in flight when the load ended. */
  lastErrors: Record<string, number>;
  webhooks: WebhookDeliveryCounts;
  /** Events that arrived at streams of the accounts that have a webhook as well. */
  streamedEvents: number;
  turns: TurnCounts;
}

/** Deliveries of the events that matched a webhook. */
export interface WebhookDeliveryCounts {
  /** Messages stored in accounts with a webhook, including those of the closed loop. */
  expected: number;
  delivered: number;
  /** Deliveries still pending after `DELIVERY_TIMEOUT_MS`. */
  waiting: number;
  failed: number;
}

/** Maximum time for the last deliveries. */
const DELIVERY_TIMEOUT_MS = 30_000;
const DELIVERY_POLL_MS = 500;
/** Time for the last calls on a busy machine. */
const FINAL_CALLS_MARGIN_MS = 90_000;

export async function runSoak(
  benchCleanup: BenchCleanup,
  { minutes, devices, share, stepSeconds }: SoakOptions,
): Promise<SoakRun> {
  logProgress(`connecting ${devices.toLocaleString('en')} devices …`);
  const soakSetup = await startSoakSetup(benchCleanup, devices);
  logProgress('measuring the peak …');
  const peakMeasurement = await measurePeak(soakSetup.load, stepSeconds);
  const rate = Math.round(peakMeasurement.peak * share);
  logProgress(`running ${rate} calls per second for ${minutes} minutes …`);
  await soakSetup.endpointProcess.takeDelays();
  const systemSampler = await SystemSampler.start(benchCleanup, soakSetup);
  soakSetup.agentTurns.sendMessages();
  const { seconds, lastErrors, events } = await recordSeconds(soakSetup, systemSampler, rate, minutes * 60);
  const turns = await soakSetup.agentTurns.stopMessages();
  const webhooks = await waitForDeliveries(soakSetup, events);
  return {
    ...peakMeasurement,
    rate,
    seconds,
    lastErrors,
    webhooks,
    streamedEvents: soakSetup.streamedEvents.count,
    turns,
  };
}

async function recordSeconds(soakSetup: SoakSetup, systemSampler: SystemSampler, rate: number, length: number) {
  const seconds: SoakSecond[] = [];
  const serviceSampler = new ServiceSampler(soakSetup);
  // The first reading includes everything since the start of the service.
  await serviceSampler.takeSecond();
  systemSampler.takeSecond();
  let lastErrors: Record<string, number> = {};
  let secondCount = 0;
  let reading: Promise<void> = Promise.resolve();
  const stop = soakSetup.load.listenForMessages((message) => {
    const { second, last } = message as { second?: CallerSecond; last?: true };
    if (second && last) lastErrors = second.errors;
    else if (second) {
      const at = ++secondCount;
      // Sequential, because IPC answers are distinguished only by their name.
      reading = reading.then(async () => {
        const system = systemSampler.takeSecond();
        const service = await serviceSampler.takeSecond();
        const deliveries = computeQuantiles(await soakSetup.endpointProcess.takeDelays());
        seconds.push({ at, ...second, service, system, deliveries, workUs: measureBaselineUs() });
        logProgress(formatSecond(seconds.at(-1)!));
      });
      // Awaited at the end.
      reading.catch(() => undefined);
    }
  });
  const events = await soakSetup.load.sendRequest<number>(
    { open: { rate, seconds: length } },
    'events',
    length * 1_000 + FINAL_CALLS_MARGIN_MS,
  );
  stop();
  await reading;
  return { seconds, lastErrors, events };
}

/** Waits until no delivery is pending and the streams have all events, or for `DELIVERY_TIMEOUT_MS`. */
async function waitForDeliveries(
  { benchFixture, streamedEvents }: SoakSetup,
  expected: number,
): Promise<WebhookDeliveryCounts> {
  const deadline = performance.now() + DELIVERY_TIMEOUT_MS;
  for (;;) {
    const [row] = await benchFixture.query<Omit<WebhookDeliveryCounts, 'expected'>>(
      `SELECT count(*) FILTER (WHERE state = 'delivered')::int AS delivered,
              count(*) FILTER (WHERE state IN ('failed', 'cancelled'))::int AS failed,
              count(*) FILTER (WHERE state = 'pending')::int + (SELECT count(*)::int FROM webhook_outbox)
                + (SELECT count(*)::int FROM webhook_outbox_batches) AS waiting
         FROM webhook_deliveries`,
    );
    if ((row!.waiting === 0 && streamedEvents.count >= expected) || performance.now() > deadline)
      return { expected, ...row! };
    await sleep(DELIVERY_POLL_MS);
  }
}

function logProgress(text: string): void {
  process.stderr.write(`${text}\n`);
}
