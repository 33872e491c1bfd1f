import { waitFor } from '../../support/wait-for';
import type { Cluster } from './cluster';
import type { Instance } from './instance';

/** Gauges of work in progress, such as `relay_pending_calls`, which are 0 when idle. */
const PENDING_GAUGES = /^relay_(pending|in_?flight)/;

/** Keys of rate limit buckets, instance leases and revocations. */
export const EXPECTED_REDIS_KEYS: readonly RegExp[] = [/^limit:/, /^relay:lease:/, /^relay:revocations/];

/** Returns the gauges of an instance that aren't 0. */
async function readPendingGauges(instance: Instance): Promise<Record<string, number>> {
  const samples = await instance.readMetricSamples();
  const gauges = samples.filter(({ name }) => PENDING_GAUGES.test(name));
  if (gauges.length === 0) throw new Error(`Instance ${instance.index} exports no gauge of work in progress.`);
  return Object.fromEntries(gauges.flatMap(({ name, value }) => (value === 0 ? [] : [[name, value]])));
}

/**
 * Waits until no running instance has work in progress and Redis has only the expected keys.
 * @param expected keys of rate limit buckets, instance leases and revocations by default
 */
export async function expectNoLeaks(
  cluster: Cluster,
  expected: readonly RegExp[] = EXPECTED_REDIS_KEYS,
  withinMs = 3_000,
): Promise<void> {
  await waitFor(async () => {
    for (const instance of cluster.runningInstances) expect(await readPendingGauges(instance)).toEqual({});
    const unexpected = (await cluster.redis.listKeys()).filter((key) => !expected.some((form) => form.test(key)));
    expect(unexpected).toEqual([]);
  }, withinMs);
}
