import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Clock } from '../../common/clock';
import { FallbackRateLimitStore } from './fallback-rate-limit-store';
import { MemoryRateLimitStore } from './memory-rate-limit-store';
import { RateLimitStore, type WindowCount } from './rate-limit-store';

/** Shared store that can fail. It returns a count that no local store reaches in a test. */
class SharedStore extends RateLimitStore {
  isAvailable = true;
  calls = 0;
  /** The server of keys that begin with its name, which fails. */
  failedServer = '';

  override findServer(key: string): string {
    return key.split('.')[0]!;
  }

  override countHit(key: string): Promise<WindowCount> {
    return this.findServer(key) === this.failedServer
      ? Promise.reject(new Error('This server did not answer'))
      : this.respond({ hits: 1_000, remainingMs: 1 });
  }

  override peekCount(): Promise<WindowCount> {
    return this.respond({ hits: 1_000, remainingMs: 1 });
  }

  override refundHit(): Promise<void> {
    return this.respond(undefined);
  }

  private respond<T>(result: T): Promise<T> {
    this.calls += 1;
    return this.isAvailable ? Promise.resolve(result) : Promise.reject(new Error('Redis did not answer'));
  }
}

describe('FallbackRateLimitStore', () => {
  let now: number;
  let shared: SharedStore;
  let registry: Registry;
  let store: FallbackRateLimitStore;
  // Expected failures would clutter the output of the tests.
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));
  beforeEach(() => {
    now = 1_000_000;
    const clock = { now: () => now } as Clock;
    shared = new SharedStore();
    registry = new Registry();
    store = new FallbackRateLimitStore(shared, new MemoryRateLimitStore(clock), registry, clock);
  });

  const countHit = async () => (await store.countHit('key', 60_000)).hits;
  const fallbacks = async () => (await registry.getSingleMetric('rate_limit_fallback_total')!.get()).values[0]!.value;

  it('uses only the shared store while it answers', async () => {
    expect([await countHit(), await countHit()]).toEqual([1_000, 1_000]);
    expect((await store.peekCount('key')).hits).toBe(1_000);
    expect(await fallbacks()).toBe(0);
  });

  it('uses the other servers of the shared store while one fails, and its successor', async () => {
    const count = async (key: string) => (await store.countHit(key, 60_000)).hits;
    shared.failedServer = 'a';
    expect([await count('a.1'), await count('b.1'), await count('a.1')]).toEqual([1, 1_000, 2]);
    expect([await count('b.1'), await count('a.1')]).toEqual([1_000, 3]);
    shared.failedServer = '';
    expect(await count('a.1')).toBe(4);
    now += 1_000;
    expect(await count('a.1')).toBe(1_000);
  });

  it('asks the shared store again when the clock was set back', async () => {
    shared.isAvailable = false;
    expect(await countHit()).toBe(1);
    shared.isAvailable = true;
    now -= 3_600_000;
    expect(await countHit()).toBe(1_000);
  });

  it('counts locally while the shared store fails', async () => {
    shared.isAvailable = false;
    expect([await countHit(), await countHit()]).toEqual([1, 2]);
    await store.refundHit('key');
    expect((await store.peekCount('key')).hits).toBe(1);
    expect(await fallbacks()).toBe(4);
  });

  it('asks a failing shared store once a second, so that a hanging Redis delays one call and not each', async () => {
    shared.isAvailable = false;
    await countHit();
    for (const ms of [0, 500, 499]) {
      now += ms;
      for (let n = 0; n < 10; n++) await countHit();
    }
    expect(shared.calls).toBe(1);
    now += 1;
    // None of them has an answer when the next one comes.
    await Promise.all(Array.from({ length: 10 }, countHit));
    expect(shared.calls).toBe(2);
  });

  it('returns to the shared store as soon as it answers again', async () => {
    shared.isAvailable = false;
    await countHit();
    shared.isAvailable = true;
    expect(await countHit()).toBe(2);
    now += 1_000;
    expect([await countHit(), await countHit()]).toEqual([1_000, 1_000]);
  });
});
