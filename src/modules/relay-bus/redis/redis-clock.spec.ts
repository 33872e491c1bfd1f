import { RedisClock } from './redis-clock';

describe('the clock of Redis', () => {
  const OFFSET = 1_000_000;
  let clock: RedisClock;
  let now: number;
  let wall: number;
  beforeEach(() => {
    clock = new RedisClock();
    [now, wall] = [5_000, 2_000_000];
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    jest.spyOn(Date, 'now').mockImplementation(() => wall);
  });
  afterEach(() => jest.restoreAllMocks());

  /** Redis reads its clock after `outMs`; its answer takes `backMs`. */
  const measure = (outMs: number, backMs: number, offset = OFFSET) => {
    const sentAt = now;
    now += outMs + backMs;
    wall += outMs + backMs;
    clock.recordSample(sentAt, now, sentAt + outMs + offset);
  };
  const pass = (ms: number) => {
    now += ms;
    wall += ms;
  };
  const wrongBy = () => Math.abs(clock.now() - (now + OFFSET));

  it('keeps a precise measurement that a slow one agrees with', () => {
    measure(1, 1);
    pass(2_000);
    measure(0, 600);
    expect(wrongBy()).toBeLessThanOrEqual(1);
    expect(clock.errorMs).toBeLessThanOrEqual(4);
    expect(clock.isSynchronized).toBe(true);
  });

  it('takes a precise measurement in place of a slow one', () => {
    measure(0, 600);
    expect(wrongBy()).toBe(300);
    expect(clock.errorMs).toBeGreaterThanOrEqual(300);
    measure(1, 1);
    expect(wrongBy()).toBeLessThanOrEqual(1);
  });

  it('believes the later of two that do not agree', () => {
    measure(1, 1);
    measure(1, 1, OFFSET + 90);
    expect(wrongBy()).toBe(90);
  });

  it('believes a slow measurement after a jump of the wall clock', () => {
    measure(1, 1);
    wall += 100;
    measure(0, 600);
    expect(wrongBy()).toBe(300);
    expect(clock.errorMs).toBeGreaterThanOrEqual(300);
  });

  it('becomes less sure as time passes, and is not sure without an answer for long', () => {
    expect(clock.errorMs).toBe(Infinity);
    measure(1, 1);
    const before = clock.errorMs;
    pass(9_000);
    expect(clock.errorMs).toBeGreaterThan(before);
    expect(clock.isSynchronized).toBe(true);
    pass(1_100);
    expect(clock.isSynchronized).toBe(false);
  });
});
