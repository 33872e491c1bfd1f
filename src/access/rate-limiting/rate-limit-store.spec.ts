import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { REDIS_URL } from '../../../test/support/backend';
import { describeWith } from '../../../test/support/dependencies';
import { Clock } from '../../common/clock';
import type { RateLimitStore } from './rate-limit-store';
import { MemoryRateLimitStore } from './memory-rate-limit-store';
import { RedisRateLimitStore } from './redis-rate-limit-store';

const WINDOW_MS = 50_000;
/** Separates this run from others on the same Redis. */
const KEY_PREFIX = `limit:test:${randomBytes(8).toString('hex')}:`;

/** Contract of every store. */
function describeStoreContract(store: () => RateLimitStore, advance: (ms: number) => Promise<void>): void {
  let key: string;
  beforeEach(() => {
    key = `${KEY_PREFIX}${randomBytes(8).toString('hex')}`;
  });

  it('counts from one, separately for each key', async () => {
    expect((await store().countHit(key, WINDOW_MS)).hits).toBe(1);
    expect((await store().countHit(key, WINDOW_MS)).hits).toBe(2);
    expect((await store().countHit(`${key}:other`, WINDOW_MS)).hits).toBe(1);
  });

  it('starts a window with its first call', async () => {
    const { remainingMs } = await store().countHit(key, WINDOW_MS);
    expect(remainingMs).toBeGreaterThan(WINDOW_MS - 10_000);
    expect(remainingMs).toBeLessThanOrEqual(WINDOW_MS);
  });

  it('does not extend a window by later calls', async () => {
    await store().countHit(key, WINDOW_MS);
    await advance(30_000);
    const { hits, remainingMs } = await store().countHit(key, WINDOW_MS);
    expect(hits).toBe(2);
    expect(remainingMs).toBeLessThanOrEqual(WINDOW_MS - 30_000);
    await advance(30_000);
    expect((await store().countHit(key, WINDOW_MS)).hits).toBe(1);
  });

  it('peeks without counting', async () => {
    expect(await store().peekCount(key)).toEqual({ hits: 0, remainingMs: 0 });
    await store().countHit(key, WINDOW_MS);
    for (let i = 0; i < 3; i++) {
      const { hits, remainingMs } = await store().peekCount(key);
      expect(hits).toBe(1);
      expect(remainingMs).toBeGreaterThan(0);
      expect(remainingMs).toBeLessThanOrEqual(WINDOW_MS);
    }
    await advance(WINDOW_MS);
    expect(await store().peekCount(key)).toEqual({ hits: 0, remainingMs: 0 });
  });

  it('refunds a call without extending its window, and never below zero', async () => {
    await store().refundHit(key);
    expect((await store().countHit(key, WINDOW_MS)).hits).toBe(1);
    await store().countHit(key, WINDOW_MS);
    await advance(30_000);
    await store().refundHit(key);
    const { hits, remainingMs } = await store().peekCount(key);
    expect(hits).toBe(1);
    expect(remainingMs).toBeLessThanOrEqual(WINDOW_MS - 30_000);
    await advance(WINDOW_MS);
    await store().refundHit(key);
    expect((await store().countHit(key, WINDOW_MS)).hits).toBe(1);
  });

  it('counts each of many concurrent calls once', async () => {
    const counts = await Promise.all(Array.from({ length: 200 }, () => store().countHit(key, 60_000)));
    const hits = counts.map((count) => count.hits).sort((a, b) => a - b);
    expect(hits).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
  });

  it('never allows more calls than the limit after refunds of calls that were not counted', async () => {
    await store().countHit(key, 60_000);
    for (let refunds = 0; refunds < 3; refunds++) await store().refundHit(key);
    expect((await store().countHit(key, 60_000)).hits).toBe(1);
  });

  it('blocks above the limit, not at it, and returns whole seconds', async () => {
    const results = [];
    for (let i = 0; i < 3; i++) results.push(await store().increment(key, 60_000, 2));
    expect(results.map(({ isBlocked }) => isBlocked)).toEqual([false, false, true]);
    expect(results.map(({ totalHits }) => totalHits)).toEqual([1, 2, 3]);
    for (const { timeToExpire } of results) expect([59, 60]).toContain(timeToExpire);
  });

  it('never returns a wait of 0 seconds', async () => {
    expect((await store().increment(key, 20, 1)).timeToExpire).toBe(1);
  });
}

describe('MemoryRateLimitStore', () => {
  const clock = new Clock();
  let offset = 0;
  let store: MemoryRateLimitStore;
  beforeAll(() => {
    clock.now = () => Date.now() + offset;
    store = new MemoryRateLimitStore(clock);
  });
  afterAll(() => store.onApplicationShutdown());

  describeStoreContract(
    () => store,
    (ms) => {
      offset += ms;
      return Promise.resolve();
    },
  );

  it('ends a window exactly after its length', async () => {
    const time = Date.now();
    const manualStore = new MemoryRateLimitStore({ now: () => time + elapsed } as Clock);
    let elapsed = 0;
    await manualStore.countHit('key', WINDOW_MS);
    elapsed = WINDOW_MS - 1;
    expect(await manualStore.countHit('key', WINDOW_MS)).toEqual({ hits: 2, remainingMs: 1 });
    elapsed = WINDOW_MS;
    expect(await manualStore.peekCount('key')).toEqual({ hits: 0, remainingMs: 0 });
    expect(await manualStore.countHit('key', WINDOW_MS)).toEqual({ hits: 1, remainingMs: WINDOW_MS });
  });
});

it('MemoryRateLimitStore begins a new window when the clock was set back', async () => {
  let now = 1_000_000_000;
  const store = new MemoryRateLimitStore({ now: () => now } as Clock);
  await store.countHit('key', WINDOW_MS);
  now -= 3_600_000;
  expect(await store.peekCount('key')).toEqual({ hits: 0, remainingMs: 0 });
  expect(await store.countHit('key', WINDOW_MS)).toEqual({ hits: 1, remainingMs: WINDOW_MS });
});

describeWith('Redis')('RedisRateLimitStore', () => {
  let redis: Redis;
  let store: RedisRateLimitStore;
  beforeAll(() => {
    redis = new Redis(REDIS_URL);
    store = new RedisRateLimitStore(redis);
  });
  afterAll(() => redis.disconnect());

  /** Windows use the time of Redis, so their expiry is shortened instead. */
  const shortenWindows = async (ms: number) => {
    for (const key of await redis.keys(`${KEY_PREFIX}*`)) {
      const remainingMs = await redis.pttl(key);
      if (remainingMs > ms) await redis.pexpire(key, remainingMs - ms);
      else await redis.del(key);
    }
  };

  describeStoreContract(() => store, shortenWindows);

  it('counts across all connections', async () => {
    const key = `${KEY_PREFIX}${randomBytes(8).toString('hex')}`;
    const others = [new Redis(REDIS_URL), new Redis(REDIS_URL)];
    const stores = [store, ...others.map((other) => new RedisRateLimitStore(other))];
    const calls = Array.from({ length: 90 }, (_, i) => stores[i % 3]!.countHit(key, 60_000));
    const hits = (await Promise.all(calls)).map((count) => count.hits);
    expect(new Set(hits).size).toBe(90);
    expect(Math.max(...hits)).toBe(90);
    for (const other of others) other.disconnect();
  });

  it('starts a new window for a counter without an expiry', async () => {
    const key = `${KEY_PREFIX}${randomBytes(8).toString('hex')}`;
    await redis.set(key, '1000');
    const { remainingMs } = await store.countHit(key, WINDOW_MS);
    expect(remainingMs).toBe(WINDOW_MS);
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    await redis.del(key);
  });

  it('works after Redis has lost its scripts', async () => {
    await redis.script('FLUSH');
    const key = `${KEY_PREFIX}${randomBytes(8).toString('hex')}`;
    expect((await store.countHit(key, WINDOW_MS)).hits).toBe(1);
    expect((await store.peekCount(key)).hits).toBe(1);
  });
});
