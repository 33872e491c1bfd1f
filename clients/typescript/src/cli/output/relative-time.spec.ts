import { formatRelativeTime } from './relative-time.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');

describe('a time', () => {
  it.each([
    [null, '-'],
    [999, 'now'],
    [-1_000, '1 s ago'],
    [12_999, 'in 12 s'],
    [-60_000, '1 min ago'],
    [-3_599_999, '59 min ago'],
    [3_600_000, 'in 1 h'],
    [-30 * 86_400_000, '30 d ago'],
    [-30 * 86_400_000 - 1, '2026-01-01'],
  ])('that differs by %j ms from now is shown as %j', (difference, text) => {
    expect(formatRelativeTime(difference === null ? null : NOW + difference, NOW)).toBe(text);
  });
});
