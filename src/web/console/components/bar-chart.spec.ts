import { getAxisMaximum } from './bar-chart';

describe('the top of an axis', () => {
  it.each([
    [0, 2],
    [1, 2],
    [3, 4],
    [10, 10],
    [11, 20],
    [99, 100],
    [100, 100],
    [601, 800],
    [36_000, 40_000],
    [1_000, 1_000],
    [9_999_999, 10_000_000],
  ])('above %d is %d', (highest, top) => {
    expect(getAxisMaximum(highest)).toBe(top);
  });

  it('is never below what it holds, and its half is whole', () => {
    for (let highest = 0; highest < 5_000; highest++) {
      expect(getAxisMaximum(highest)).toBeGreaterThanOrEqual(highest);
      expect(getAxisMaximum(highest) % 2).toBe(0);
    }
  });
});
