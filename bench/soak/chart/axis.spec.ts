import { createLinearAxis, createLogAxis, roundStep } from './axis';

describe('axes', () => {
  it('has round steps', () => {
    expect([0.3, 1, 17, 24, 26, 260, 700].map(roundStep)).toEqual([0.5, 1, 20, 25, 50, 500, 1_000]);
  });

  it('starts at 0 and ends at or above the largest value', () => {
    const { ticks, toShare: shareOf } = createLinearAxis(593);
    expect(ticks).toEqual([0, 200, 400, 600]);
    expect([0, 300, 600].map(shareOf)).toEqual([0, 0.5, 1]);
  });

  it('starts and ends at a power of ten if it is logarithmic', () => {
    const { ticks, toShare: shareOf } = createLogAxis(4, 730);
    expect(ticks).toEqual([1, 10, 100, 1_000]);
    expect(shareOf(10)).toBeCloseTo(1 / 3);
    expect(shareOf(0)).toBe(0);
  });
});
