import { TimerWheel } from './timer-wheel';

function firedBy(wheel: TimerWheel, ticks: number): number[][] {
  return Array.from({ length: ticks }, () => {
    const fired: number[] = [];
    wheel.advance((owner) => fired.push(owner));
    return fired.sort((a, b) => a - b);
  });
}

describe('TimerWheel', () => {
  it('fires each timer once, in its tick', () => {
    const wheel = new TimerWheel(4, 10);
    wheel.set(0, 3);
    wheel.set(1, 1);
    wheel.set(2, 3);
    expect(firedBy(wheel, 4)).toEqual([[1], [], [0, 2], []]);
    expect(firedBy(wheel, 40).flat()).toEqual([]);
  });

  it('replaces a timer, and ends one', () => {
    const wheel = new TimerWheel(3, 10);
    for (const owner of [0, 1, 2]) wheel.set(owner, 2);
    wheel.set(1, 4);
    wheel.end(0);
    wheel.end(0);
    expect(firedBy(wheel, 4)).toEqual([[], [2], [], [1]]);
  });

  it('sets a timer anew while it fires, also the shortest', () => {
    const wheel = new TimerWheel(1, 10);
    wheel.set(0, 0);
    let fired = 0;
    for (let tick = 0; tick < 100; tick++) {
      wheel.advance((owner) => {
        fired += 1;
        wheel.set(owner, 5);
      });
    }
    expect(fired).toBe(20);
  });

  it('refuses a delay beyond its size', () => {
    expect(() => new TimerWheel(1, 10).set(0, 100)).toThrow(RangeError);
  });
});
