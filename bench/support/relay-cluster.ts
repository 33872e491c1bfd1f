import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchCleanup } from '../benchmark-row';
import type { BenchFixture } from './bench-fixture';
import { DevicePool } from './device-pool';
import type { OutgoingRequest } from './http-load-client';
import { insertSignedInMachines, type BenchMachine } from './machines';

/** Presence is published asynchronously after the connection. */
const SETTLE_MS = 500;
const INVOKE_BODY = JSON.stringify({ command: 'git', args: ['status', '--short'] });

/**
 * Connects machines to the first two instances, and returns a call of each machine through the other one. Further
 * instances receive no calls: with few calls each, their code wouldn't be compiled and would distort the result.
 */
export async function createRelayCalls(
  benchCleanup: BenchCleanup,
  benchFixture: BenchFixture,
  machines: number,
): Promise<OutgoingRequest[]> {
  const inserted = await insertSignedInMachines(benchFixture, machines);
  const urls = benchFixture.instances.map(({ url }) => url);
  return connectAcross(benchCleanup, urls, inserted, benchFixture.token);
}

/** @param token access token of the calls */
export async function connectAcross(
  benchCleanup: BenchCleanup,
  urls: string[],
  machines: BenchMachine[],
  token: string,
): Promise<OutgoingRequest[]> {
  const devicePool = benchCleanup.add(new DevicePool());
  const calls: OutgoingRequest[] = [];
  for (const [i, machine] of machines.entries()) {
    await devicePool.connectDevices(urls[(i + 1) % 2]!, [machine.token]);
    const url = `${urls[i % 2]!}/external/v1/machines/${machine.machineId}/invoke`;
    calls.push({ method: 'POST', url, token, body: INVOKE_BODY });
  }
  await sleep(SETTLE_MS);
  return calls;
}
