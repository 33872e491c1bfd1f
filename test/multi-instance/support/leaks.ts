import { Redis } from 'ioredis';
import { eventually } from '../../support/eventually';
import type { Cluster } from './cluster';
import type { Instance } from './instance';

/** Gauges of what is under way, `relay_pending_calls` among them: 0 wherever nothing is. */
const UNDER_WAY = /^relay_(pending|in_?flight)/;

/** Rate buckets, and the leases of instances. */
export const EXPECTED_KEYS: readonly RegExp[] = [/^limit:/, /^relay:lease:/];

/** What an instance still waits for, by gauge; empty: nothing. */
export async function leaks(instance: Instance): Promise<Record<string, number>> {
  const samples = await instance.samples();
  const gauges = samples.filter(({ name }) => UNDER_WAY.test(name));
  if (gauges.length === 0) throw new Error(`Instance ${instance.index} shows no gauge of what is under way.`);
  return Object.fromEntries(gauges.flatMap(({ name, value }) => (value === 0 ? [] : [[name, value]])));
}

/** Every key of the cluster's Redis, in order. */
export async function redisKeys(cluster: Cluster): Promise<string[]> {
  const redis = new Redis(cluster.redis.url);
  try {
    const keys: string[] = [];
    for await (const batch of redis.scanStream({ count: 1_000 })) keys.push(...(batch as string[]));
    return [...new Set(keys)].sort();
  } finally {
    redis.disconnect();
  }
}

/**
 * Holds within three seconds, unless given: no running instance waits for anything, and Redis has no keys but the expected.
 * @param expected rate buckets and the leases of instances, unless given
 */
export async function expectNoLeaks(
  cluster: Cluster,
  expected: readonly RegExp[] = EXPECTED_KEYS,
  withinMs = 3_000,
): Promise<void> {
  await eventually(async () => {
    for (const instance of cluster.running) expect(await leaks(instance)).toEqual({});
    const unexpected = (await redisKeys(cluster)).filter((key) => !expected.some((form) => form.test(key)));
    expect(unexpected).toEqual([]);
  }, withinMs);
}
