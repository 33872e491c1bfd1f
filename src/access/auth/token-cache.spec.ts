import { Clock } from '../../common/clock';
import { hashSecretToken } from '../../common/secret-token';
import { TokenCache } from './token-cache';
import type { KnownToken } from './token-verifier';

const START = 1_000_000;

/** Both clocks change only by assignment or `advance`. */
class ManualClock extends Clock {
  wall = START;
  monotonic = 0;
  override now = () => this.wall;
  override monotonicMs = () => this.monotonic;

  advance(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
  }
}

describe('TokenCache', () => {
  const ada: KnownToken = { accountId: 'acc_ada', evaluate: () => ({ ok: false, reason: 'revoked' }) };
  const bob: KnownToken = { ...ada, accountId: 'acc_bob' };
  let clock: ManualClock;
  let recent: TokenCache;
  let asked: number;
  const find = (token = 'a', answer: KnownToken | null = ada) =>
    recent.getOrLoad(hashSecretToken(token), () => {
      asked += 1;
      return Promise.resolve(answer);
    });
  /** Starts a lookup that the test settles. */
  const slowly = (token = 'a') => {
    let settle = { answer: (_: KnownToken | null) => {}, fail: (_: Error) => {} };
    const found = recent.getOrLoad(hashSecretToken(token), () => {
      asked += 1;
      return new Promise((answer, fail) => (settle = { answer, fail }));
    });
    return { found, ...settle };
  };

  beforeEach(() => {
    clock = new ManualClock();
    recent = new TokenCache(clock);
    asked = 0;
  });
  afterEach(() => jest.useRealTimers());

  it('asks once in half a second', async () => {
    for (let i = 0; i < 50; i++) {
      expect(await find()).toBe(ada);
      clock.advance(9);
    }
    expect(asked).toBe(1);
    clock.advance(50);
    await find();
    expect(asked).toBe(2);
  });

  it('counts the age from the start of the lookup, not from its end', async () => {
    const slow = slowly();
    clock.advance(400);
    slow.answer(ada);
    await slow.found;
    clock.advance(99);
    await find();
    expect(asked).toBe(1);
    clock.advance(1);
    await find();
    expect(asked).toBe(2);
  });

  it('shares one lookup among concurrent calls', async () => {
    const slow = slowly();
    const others = [find(), find(), find()];
    slow.answer(ada);
    expect(await Promise.all([slow.found, ...others])).toEqual([ada, ada, ada, ada]);
    expect(asked).toBe(1);
  });

  it('neither waits for a lookup that started too long ago nor caches its result', async () => {
    const stuck = slowly();
    clock.advance(500);
    expect(await find('a', bob)).toBe(bob);
    stuck.answer(ada);
    expect(await stuck.found).toBe(ada);
    expect(await find()).toBe(bob);
    expect(asked).toBe(2);
  });

  it('passes a failure to all waiting calls and does not cache it', async () => {
    const slow = slowly();
    const other = find();
    slow.fail(new Error('away'));
    await expect(slow.found).rejects.toThrow('away');
    await expect(other).rejects.toThrow('away');
    expect(await find()).toBe(ada);
    expect(asked).toBe(2);
  });

  it('does not cache unknown tokens', async () => {
    expect(await find('made up', null)).toBeNull();
    expect(await find('made up')).toBe(ada);
    expect(asked).toBe(2);
  });

  it('does not extend the age of an entry when the wall clock is set back', async () => {
    await find();
    clock.monotonic += 499;
    clock.wall = START + 100;
    await find();
    expect(asked).toBe(1);
    clock.monotonic += 1;
    await find();
    expect(asked).toBe(2);
  });

  it('ignores an entry from the future, and one from before the clock jumped ahead', async () => {
    await find();
    clock.wall = START - 1;
    await find();
    expect(asked).toBe(2);
    clock.wall += 500;
    await find();
    expect(asked).toBe(3);
  });

  it('invalidates one account only', async () => {
    await find('a');
    await find('b', bob);
    recent.invalidateAccount('acc_ada');
    await find('b', bob);
    expect(asked).toBe(2);
    await find('a');
    expect(asked).toBe(3);
  });

  it('invalidates all accounts', async () => {
    await find('a');
    await find('b', bob);
    const slow = slowly('c');
    recent.invalidateAll();
    await find('a');
    await find('b', bob);
    slow.answer(ada);
    await slow.found;
    await find('c');
    expect(asked).toBe(6);
  });

  it('does not cache a lookup that started before the invalidation', async () => {
    const slow = slowly();
    recent.invalidateAccount('acc_ada');
    const after = find('a', bob);
    slow.answer(ada);
    expect(await slow.found).toBe(ada);
    expect(await after).toBe(bob);
    expect(await find()).toBe(bob);
  });

  it('keeps the last 10,000 entries and deletes expired ones', async () => {
    for (let i = 0; i < 10_001; i++) await find(`token ${i}`);
    await find('token 1');
    expect(asked).toBe(10_001);
    await find('token 0');
    expect(asked).toBe(10_002);
    clock.advance(500);
    await find('another');
    const held = (recent as unknown as { entries: Map<string, unknown> }).entries;
    expect(held.size).toBe(1);
  });

  it('expires entries by the clocks of the process after 500 ms, not before', async () => {
    jest.useFakeTimers();
    recent = new TokenCache(new Clock());
    await find();
    jest.advanceTimersByTime(499);
    await find();
    expect(asked).toBe(1);
    jest.advanceTimersByTime(1);
    await find();
    expect(asked).toBe(2);
  });
});
