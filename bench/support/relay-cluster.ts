import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchCleanup } from '../benchmark-row';
import type { RelayTarget } from './relay-call-client';
import { DevicePool } from './device-pool';
import { insertSignedInMachines } from './machines';
import { BenchFixture } from './bench-fixture';

/** Presence is published asynchronously after the connection. */
const SETTLE_MS = 500;

/**
 * Starts instances on one database and Redis, with calls from each of the first two to a device of the other. The other
 * instances receive no calls: with few calls each, their code wouldn't be compiled and would distort the result.
 */
export interface RelayCluster {
  benchFixture: BenchFixture;
  calls: RelayTarget[];
}

export async function startRelayCluster(
  benchCleanup: BenchCleanup,
  instances: number,
  machines: number,
): Promise<RelayCluster> {
  const benchFixture = benchCleanup.add(await BenchFixture.start(instances));
  const devicePool = benchCleanup.add(new DevicePool());
  const calls: RelayTarget[] = [];
  for (const [i, { machineId, token }] of (await insertSignedInMachines(benchFixture, machines)).entries()) {
    const owner = benchFixture.instances[(i + 1) % 2]!;
    await devicePool.connectDevices(owner.url, [token]);
    calls.push({ url: benchFixture.instances[i % 2]!.url, machineId });
  }
  await sleep(SETTLE_MS);
  return { benchFixture, calls };
}
