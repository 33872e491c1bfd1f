import { setTimeout as sleep } from 'node:timers/promises';
import type { Devices } from '../../support/devices';
import { idleCost, type Cost } from '../deed';
import { SETTLE_MS, type Lab } from '../lab';

const EMPTY_SECONDS = 20;
/** Three pings of each device. */
const SECONDS = 30;

/** All devices on the owner, doing nothing; the instances have done much by then, so that no code is compiled any more. */
export async function measureIdleDevices(lab: Lab, devices: Devices[], count: number): Promise<Cost> {
  const traffic = async () => sumOf(await Promise.all(devices.map((each) => each.traffic())));
  await calm(lab);
  const before = await traffic();
  const startedAt = performance.now();
  const cost = await idleCost(lab, SECONDS);
  const minutes = (performance.now() - startedAt) / 60_000;
  lab.figures.add(
    'service.wireBytesPerIdleDeviceMinute',
    ((await traffic()) - before) / minutes / count,
    'B',
    `bytes that the sockets of ${count.toLocaleString('en')} idle devices read and wrote in ${SECONDS} s, WebSocket framing counted, TCP and IP headers not`,
  );
  return cost;
}

/** What was left behind is collected, which would else be done while nothing seems to happen. */
async function calm({ scene }: Lab): Promise<void> {
  await Promise.all(scene.instances.map(({ child }) => child.memory()));
  await sleep(SETTLE_MS);
}

/** Warm instances with nothing to do and nobody there. */
export async function measureEmpty(lab: Lab, withDevices: Cost, count: number): Promise<Cost> {
  await calm(lab);
  const cost = await idleCost(lab, EMPTY_SECONDS);
  const instances = lab.scene.instances.length;
  const span = `${instances} instances without a device or a call for ${EMPTY_SECONDS} s`;
  const add = (key: string, value: number, unit: string, how: string) =>
    lab.figures.add(`${key}PerInstanceSecond`, value / instances, unit, `${how}; ${span}`);
  add('redis.idleCommands', cost.commands, '1/s', 'MONITOR, what scripts call not counted');
  add('redis.idleCpuUs', cost.redisCpuUs, 'µs/s', 'used_cpu_user + used_cpu_sys');
  add('redis.idleInBytes', cost.redisInBytes, 'B/s', 'total_net_input_bytes');
  add('redis.idleOutBytes', cost.redisOutBytes, 'B/s', 'total_net_output_bytes');
  add('postgres.emptyTransactions', cost.transactions, '1/s', 'log_statement = all');
  add('postgres.idleCpuUs', cost.postgresCpuUs, 'µs/s', 'CPU of server and backends');
  add('postgres.idleWalBytes', cost.walBytes, 'B/s', 'pg_current_wal_insert_lsn');
  add('service.idleCpuUs', sumOf(cost.serviceUs), 'µs/s', 'CPU of the process');
  lab.figures.add(
    'service.cpuUsPerIdleDeviceMinute',
    ((withDevices.serviceUs[1]! - cost.serviceUs[1]!) * 60) / count,
    'µs',
    `CPU of one instance with ${count.toLocaleString('en')} idle devices less that without, over ${SECONDS} and ${EMPTY_SECONDS} s`,
  );
  lab.figures.add(
    'postgres.idleTransactionsPerInstanceSecond',
    withDevices.transactions - cost.transactions / instances,
    '1/s',
    'log_statement = all; an instance with idle devices, however many',
  );
  return cost;
}

export function sumOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
