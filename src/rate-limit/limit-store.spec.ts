import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { REDIS_URL } from '../../test/support/backend';
import { describeWithRedis } from '../../test/support/redis-reachable';
import { Clock } from '../common/clock';
import type { LimitStore } from './limit-store';
import { MemoryLimitStore } from './memory-limit-store';
import { RedisLimitStore } from './redis-limit-store';

const WINDOW_MS = 500;

/** What every store does, whatever it keeps its counts in. */
function keepsTheContract(store: () => LimitStore, pass: (ms: number) => Promise<void>): void {
  let key: string;
  beforeEach(() => {
    key = `limit:test:${randomBytes(8).toString('hex')}`;
  });

  it('counts from one, and each key by itself', async () => {
    expect((await store().hit(key, WINDOW_MS)).hits).toBe(1);
    expect((await store().hit(key, WINDOW_MS)).hits).toBe(2);
    expect((await store().hit(`${key}:other`, WINDOW_MS)).hits).toBe(1);
  });

  it('begins a window with its first call', async () => {
    const { remainingMs } = await store().hit(key, WINDOW_MS);
    expect(remainingMs).toBeGreaterThan(WINDOW_MS - 100);
    expect(remainingMs).toBeLessThanOrEqual(WINDOW_MS);
  });

  it('does not move the end of a window by later calls', async () => {
    await store().hit(key, WINDOW_MS);
    await pass(300);
    const { hits, remainingMs } = await store().hit(key, WINDOW_MS);
    expect(hits).toBe(2);
    expect(remainingMs).toBeLessThanOrEqual(WINDOW_MS - 300);
    await pass(300);
    expect((await store().hit(key, WINDOW_MS)).hits).toBe(1);
  });

  it('looks without counting', async () => {
    expect(await store().peek(key)).toEqual({ hits: 0, remainingMs: 0 });
    await store().hit(key, WINDOW_MS);
    for (let i = 0; i < 3; i++) {
      const { hits, remainingMs } = await store().peek(key);
      expect(hits).toBe(1);
      expect(remainingMs).toBeGreaterThan(0);
      expect(remainingMs).toBeLessThanOrEqual(WINDOW_MS);
    }
    await pass(WINDOW_MS + 50);
    expect(await store().peek(key)).toEqual({ hits: 0, remainingMs: 0 });
  });

  it('loses and doubles no call of many at once', async () => {
    const counts = await Promise.all(Array.from({ length: 200 }, () => store().hit(key, 60_000)));
    const hits = counts.map((count) => count.hits).sort((a, b) => a - b);
    expect(hits).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
  });

  it('refuses after the limit, not at it, and gives whole seconds', async () => {
    const draws = [];
    for (let i = 0; i < 3; i++) draws.push(await store().increment(key, 60_000, 2));
    expect(draws.map(({ isBlocked }) => isBlocked)).toEqual([false, false, true]);
    expect(draws.map(({ totalHits }) => totalHits)).toEqual([1, 2, 3]);
    for (const { timeToExpire } of draws) expect([59, 60]).toContain(timeToExpire);
  });

  it('never says that nothing is left to wait', async () => {
    expect((await store().increment(key, 20, 1)).timeToExpire).toBe(1);
  });
}

describe('limits in memory', () => {
  const clock = new Clock();
  let offset = 0;
  let store: MemoryLimitStore;
  beforeAll(() => {
    clock.now = () => Date.now() + offset;
    store = new MemoryLimitStore(clock);
  });
  afterAll(() => store.onApplicationShutdown());

  keepsTheContract(
    () => store,
    (ms) => {
      offset += ms;
      return Promise.resolve();
    },
  );
});

describeWithRedis('limits in Redis', () => {
  let redis: Redis;
  let store: RedisLimitStore;
  beforeAll(() => {
    redis = new Redis(REDIS_URL);
    store = new RedisLimitStore(redis);
  });
  afterAll(() => redis.disconnect());

  keepsTheContract(
    () => store,
    (ms) => sleep(ms),
  );

  it('are one count over all connections', async () => {
    const key = `limit:test:${randomBytes(8).toString('hex')}`;
    const others = [new Redis(REDIS_URL), new Redis(REDIS_URL)];
    const stores = [store, ...others.map((other) => new RedisLimitStore(other))];
    const calls = Array.from({ length: 90 }, (_, i) => stores[i % 3]!.hit(key, 60_000));
    const hits = (await Promise.all(calls)).map((count) => count.hits);
    expect(new Set(hits).size).toBe(90);
    expect(Math.max(...hits)).toBe(90);
    for (const other of others) other.disconnect();
  });

  it('give a counter that lost its end a new window, so that nobody is refused for ever', async () => {
    const key = `limit:test:${randomBytes(8).toString('hex')}`;
    await redis.set(key, '1000');
    const { remainingMs } = await store.hit(key, WINDOW_MS);
    expect(remainingMs).toBe(WINDOW_MS);
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    await redis.del(key);
  });

  it('go on after Redis forgot its scripts', async () => {
    await redis.script('FLUSH');
    const key = `limit:test:${randomBytes(8).toString('hex')}`;
    expect((await store.hit(key, WINDOW_MS)).hits).toBe(1);
    expect((await store.peek(key)).hits).toBe(1);
  });
});
