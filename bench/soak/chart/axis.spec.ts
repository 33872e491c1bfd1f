import { linearAxis, logAxis, roundStep } from './axis';

describe('axes', () => {
  it('steps by round numbers', () => {
    expect([0.3, 1, 17, 24, 26, 260, 700].map(roundStep)).toEqual([0.5, 1, 20, 25, 50, 500, 1_000]);
  });

  it('begins at 0 and ends at or above the largest value', () => {
    const { ticks, shareOf } = linearAxis(593);
    expect(ticks).toEqual([0, 200, 400, 600]);
    expect([0, 300, 600].map(shareOf)).toEqual([0, 0.5, 1]);
  });

  it('has a power of ten at either end when it is logarithmic', () => {
    const { ticks, shareOf } = logAxis(4, 730);
    expect(ticks).toEqual([1, 10, 100, 1_000]);
    expect(shareOf(10)).toBeCloseTo(1 / 3);
    expect(shareOf(0)).toBe(0);
  });
});
