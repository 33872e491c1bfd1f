import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from '../common/clock';
import { hashToken } from '../common/secret-token';
import { RecentLookUps } from './recent-look-ups';
import type { KnownToken } from './token-verifier';

const START = 1_000_000;

/** Both clocks stand until they are moved. */
class StandingClock extends Clock {
  wall = START;
  steady = 0;
  override now = () => this.wall;
  override monotonic = () => this.steady;

  pass(ms: number): void {
    this.wall += ms;
    this.steady += ms;
  }
}

describe('RecentLookUps', () => {
  const ada: KnownToken = { accountId: 'acc_ada', judge: () => ({ ok: false, reason: 'revoked' }) };
  const bob: KnownToken = { ...ada, accountId: 'acc_bob' };
  let clock: StandingClock;
  let recent: RecentLookUps;
  let asked: number;
  const find = (token = 'a', answer: KnownToken | null = ada) =>
    recent.find(hashToken(token), () => {
      asked += 1;
      return Promise.resolve(answer);
    });
  /** A look-up that is answered when the test says so. */
  const slowly = (token = 'a') => {
    let settle = { answer: (_: KnownToken | null) => {}, fail: (_: Error) => {} };
    const found = recent.find(hashToken(token), () => {
      asked += 1;
      return new Promise((answer, fail) => (settle = { answer, fail }));
    });
    return { found, ...settle };
  };

  beforeEach(() => {
    clock = new StandingClock();
    recent = new RecentLookUps(clock);
    asked = 0;
  });

  it('asks once in half a second', async () => {
    for (let i = 0; i < 50; i++) {
      expect(await find()).toBe(ada);
      clock.pass(9);
    }
    expect(asked).toBe(1);
    clock.pass(50);
    await find();
    expect(asked).toBe(2);
  });

  it('is as old as the question, not as the answer', async () => {
    const slow = slowly();
    clock.pass(400);
    slow.answer(ada);
    await slow.found;
    clock.pass(99);
    await find();
    expect(asked).toBe(1);
    clock.pass(1);
    await find();
    expect(asked).toBe(2);
  });

  it('shares one look-up among calls that come at once', async () => {
    const slow = slowly();
    const others = [find(), find(), find()];
    slow.answer(ada);
    expect(await Promise.all([slow.found, ...others])).toEqual([ada, ada, ada, ada]);
    expect(asked).toBe(1);
  });

  it('does not wait for a look-up that began too long ago, nor keeps what that finds', async () => {
    const stuck = slowly();
    clock.pass(500);
    expect(await find('a', bob)).toBe(bob);
    stuck.answer(ada);
    expect(await stuck.found).toBe(ada);
    expect(await find()).toBe(bob);
    expect(asked).toBe(2);
  });

  it('passes a failure to all who wait for it, and asks again', async () => {
    const slow = slowly();
    const other = find();
    slow.fail(new Error('away'));
    await expect(slow.found).rejects.toThrow('away');
    await expect(other).rejects.toThrow('away');
    expect(await find()).toBe(ada);
    expect(asked).toBe(2);
  });

  it('keeps nothing of tokens that nobody knows', async () => {
    expect(await find('made up', null)).toBeNull();
    expect(await find('made up')).toBe(ada);
    expect(asked).toBe(2);
  });

  it('is not made young again by a clock that is set back', async () => {
    await find();
    clock.steady += 499;
    clock.wall = START + 100;
    await find();
    expect(asked).toBe(1);
    clock.steady += 1;
    await find();
    expect(asked).toBe(2);
  });

  it('is not trusted from the future, nor when the clock has leapt ahead', async () => {
    await find();
    clock.wall = START - 1;
    await find();
    expect(asked).toBe(2);
    clock.wall += 500;
    await find();
    expect(asked).toBe(3);
  });

  it('forgets an account, and leaves others be', async () => {
    await find('a');
    await find('b', bob);
    recent.forget('acc_ada');
    await find('b', bob);
    expect(asked).toBe(2);
    await find('a');
    expect(asked).toBe(3);
  });

  it('forgets all accounts at once', async () => {
    await find('a');
    await find('b', bob);
    const slow = slowly('c');
    recent.forgetAll();
    await find('a');
    await find('b', bob);
    slow.answer(ada);
    await slow.found;
    await find('c');
    expect(asked).toBe(6);
  });

  it('does not keep what was asked before it was told to forget', async () => {
    const slow = slowly();
    recent.forget('acc_ada');
    const after = find('a', bob);
    slow.answer(ada);
    expect(await slow.found).toBe(ada);
    expect(await after).toBe(bob);
    expect(await find()).toBe(bob);
  });

  it('keeps the last 10,000, and drops what is too old to be of use', async () => {
    for (let i = 0; i < 10_001; i++) await find(`token ${i}`);
    await find('token 1');
    expect(asked).toBe(10_001);
    await find('token 0');
    expect(asked).toBe(10_002);
    clock.pass(500);
    await find('another');
    const held = (recent as unknown as { kept: Map<string, unknown> }).kept;
    expect(held.size).toBe(1);
  });

  it('grows old on the real clocks too', async () => {
    recent = new RecentLookUps(new Clock());
    await find();
    await find();
    expect(asked).toBe(1);
    await sleep(510);
    await find();
    expect(asked).toBe(2);
  });
});
