import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Closing } from '../row';
import { Devices } from '../support/devices';
import { insertFleet } from '../support/fleet';
import { idleCost } from './deed';
import { Lab } from './lab';
import { measureBusyRedis } from './measures/busy-redis';
import { measureCalls } from './measures/calls';
import { measureConnections } from './measures/connections';
import { measureDeliveries } from './measures/deliveries';
import { measureEmpty, measureIdleDevices } from './measures/idle';
import { measureMessages } from './measures/messages';
import { measurePresence, tokensOf } from './measures/presence';
import { keepOutbox, measureRows, readSizes } from './measures/rows';
import { measureBuckets, measureUsage } from './measures/usage';
import { asJson, table } from './report';

const USAGE = 'usage: npm run bench:constants -- [--json FILE]';
const ACCOUNTS = 2_000;
/** Of each account; the first of them is connected for most of the time. */
const MACHINES = 3;
const IDLE_SECONDS = 10;
const CALLERS = 500;
const SUBSCRIBERS = 40;
const MOVING = 1_000;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'string' } } });
  const measuredAt = new Date();
  const load = loadavg()[0]!;
  const closing = new Closing();
  try {
    const lab = await closing.guard(() => Lab.start(closing));
    await measureAll(lab, closing);
    console.log(table(lab.figures));
    const machine = {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      node: process.version,
      postgres: await lab.postgres.version(),
      redis: await lab.redis.version(),
      /** Of the minute before. */
      load,
    };
    if (values.json) writeFileSync(values.json, asJson(lab.figures, measuredAt, machine));
  } finally {
    await closing.close();
  }
}

async function measureAll(lab: Lab, closing: Closing): Promise<void> {
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    process.stderr.write(`${name} …\n`);
    return work();
  };
  const [first, further] = [closing.add(new Devices()), closing.add(new Devices())];
  await keepOutbox(lab);
  const fleet = await insertFleet(lab.scene, ACCOUNTS, MACHINES);
  const callers = fleet.slice(0, CALLERS);
  const subscribers = fleet.slice(CALLERS, CALLERS + SUBSCRIBERS);
  const others = fleet.slice(CALLERS + SUBSCRIBERS, CALLERS + 2 * SUBSCRIBERS);
  const sizes = await readSizes(lab);

  await step('presence', () => measurePresence(lab, fleet, first, further));
  const idle = await step('what idles', () => idleCost(lab, IDLE_SECONDS));
  await step('rate buckets', () => measureBuckets(lab, fleet));
  await step('usage', () => measureUsage(lab, fleet, idle));
  await step('calls', () => measureCalls(lab, callers, idle));
  await step('messages', () => measureMessages(lab, callers, idle));
  await step('deliveries', () => measureDeliveries(lab, subscribers, others, idle));
  const crowded = await step('idle devices', async () => {
    await further.connect(lab.owner.url, tokensOf(fleet, 1, MACHINES));
    await lab.untilOnline(ACCOUNTS * MACHINES);
    return measureIdleDevices(lab, [first, further], ACCOUNTS * MACHINES);
  });
  for (const devices of [first, further]) await devices.leave();
  await lab.untilOnline(0);
  const empty = await step('idle instances', () => measureEmpty(lab, crowded, ACCOUNTS * MACHINES));
  await step('reconnects', () => measureConnections(lab, first, tokensOf(fleet.slice(0, MOVING), 0, 1), empty));
  await step('busy Redis', () => measureBusyRedis(lab));
  await step('rows', () => measureRows(lab, sizes));
}

main().catch((error: Error) => {
  console.error(`error: ${error.message}\n${USAGE}`);
  process.exitCode = 2;
});
