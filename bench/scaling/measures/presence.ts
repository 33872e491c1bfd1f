import { setTimeout as sleep } from 'node:timers/promises';
import type { Devices } from '../../support/devices';
import type { FleetAccount } from '../../support/fleet';
import { SETTLE_MS, type Lab } from '../lab';

/** What a device that is there takes in Redis and in its instance. Leaves the first machine of each account connected. */
export async function measurePresence(
  lab: Lab,
  fleet: FleetAccount[],
  first: Devices,
  further: Devices,
): Promise<void> {
  const { figures, owner, redis } = lab;
  const settled = async () => {
    await sleep(SETTLE_MS);
    return { redis: await redis.memory(), service: await owner.child.memory() };
  };
  // The first sockets bring code and buffers that stay.
  await first.connect(owner.url, tokensOf(fleet.slice(0, 50), 0, 1));
  await first.leave();
  await lab.untilOnline(0);
  const empty = await settled();
  await first.connect(owner.url, tokensOf(fleet, 0, 1));
  const alone = await settled();
  await further.connect(owner.url, tokensOf(fleet, 1, 3));
  const threefold = await settled();
  await further.leave();
  await lab.untilOnline(fleet.length);

  const count = fleet.length;
  const machines = `${count.toLocaleString('en')} machine devices`;
  const inRedis = (before: number, after: number, devices: number) => (after - before) / devices;
  figures.add(
    'redis.bytesPerPresentDevice',
    inRedis(empty.redis, alone.redis, count),
    'B',
    `used_memory before and after ${machines} connect, each alone in its account`,
  );
  figures.add(
    'redis.bytesPerFurtherDevice',
    inRedis(alone.redis, threefold.redis, 2 * count),
    'B',
    `used_memory before and after a second and a third device of ${count.toLocaleString('en')} accounts connect`,
  );
  figures.add(
    'service.bytesPerSocket',
    inRedis(empty.service, alone.service, count),
    'B',
    `heap and external memory after a garbage collection, before and after ${machines} connect`,
  );
}

export function tokensOf(fleet: FleetAccount[], from: number, to: number): string[] {
  return fleet.flatMap(({ machines }) => machines.slice(from, to).map(({ token }) => token));
}
