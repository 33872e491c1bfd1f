import { slopeOf } from './statistics';

describe('slopeOf', () => {
  it('finds the slope of a line', () => {
    expect(slopeOf([0, 1, 2, 5, 9].map((time) => [time, 3 * time + 7]))).toBeCloseTo(3);
  });

  it('is not moved by outliers, at the end either', () => {
    const flat = Array.from({ length: 60 }, (_, time) => [time, time >= 50 ? 1_000 : 10] as const);
    expect(slopeOf(flat)).toBe(0);
  });

  it('finds the slope of a sawtooth that rises', () => {
    const saw = Array.from({ length: 300 }, (_, time) => [time, 2 * time + (time % 10) * 30] as const);
    expect(slopeOf(saw)).toBeCloseTo(2, 1);
  });

  it('is 0 where there is no line', () => {
    expect(slopeOf([])).toBe(0);
    expect(slopeOf([[1, 5]])).toBe(0);
  });
});
