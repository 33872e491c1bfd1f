import { computeSlope } from './statistics';

describe('computeSlope', () => {
  it('returns the slope of a line', () => {
    expect(computeSlope([0, 1, 2, 5, 9].map((time) => [time, 3 * time + 7]))).toBeCloseTo(3);
  });

  it('ignores outliers, even at the end', () => {
    const flat = Array.from({ length: 60 }, (_, time) => [time, time >= 50 ? 1_000 : 10] as const);
    expect(computeSlope(flat)).toBe(0);
  });

  it('returns the slope of a rising sawtooth', () => {
    const saw = Array.from({ length: 300 }, (_, time) => [time, 2 * time + (time % 10) * 30] as const);
    expect(computeSlope(saw)).toBeCloseTo(2, 1);
  });

  it('returns 0 for fewer than two points', () => {
    expect(computeSlope([])).toBe(0);
    expect(computeSlope([[1, 5]])).toBe(0);
  });
});
