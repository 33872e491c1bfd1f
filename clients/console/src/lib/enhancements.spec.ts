import { formatExactTime, formatRelativeTime } from './enhancements';

const NOW = Date.UTC(2026, 0, 31, 12);

describe('relative times', () => {
  it.each([
    [0, 'now'],
    [-999, 'now'],
    [-12_000, '12 s ago'],
    [12_000, 'in 12 s'],
    [-59_999, '59 s ago'],
    [-4 * 60_000, '4 min ago'],
    [3 * 3_600_000, 'in 3 h'],
    [-29 * 86_400_000, '29 d ago'],
  ])('writes a distance of %d ms as "%s"', (distance, text) => {
    expect(formatRelativeTime(NOW + distance, NOW)).toBe(text);
  });

  it('writes the date beyond 30 days', () => {
    expect(formatRelativeTime(NOW - 60 * 86_400_000, NOW)).toBe('2 Dec 2025');
  });

  it('writes the exact time with seconds', () => {
    expect(formatExactTime(new Date(2026, 0, 31, 17, 30, 5).getTime())).toBe('31 Jan 2026, 17:30:05');
  });
});
