import { parseDateTimeField, formatDateTimeField } from './date-time-value';

describe('a moment in a form', () => {
  it('is read in UTC, and written as it was read', () => {
    const at = Date.UTC(2026, 0, 31, 17, 30);
    expect(parseDateTimeField({ since: ' 2026-01-31T17:30 ' }, 'since')).toBe(at);
    expect(parseDateTimeField({ since: '2026-01-31T17:30:01.5' }, 'since')).toBe(at + 1_500);
    expect(formatDateTimeField(at + 59_999)).toBe('2026-01-31T17:30');
  });

  it('is none where nothing was typed', () => {
    for (const form of [{}, { since: ' ' }]) expect(parseDateTimeField(form, 'since')).toBeUndefined();
  });

  it.each(['yesterday', '2026-01-31', '2026-13-31T17:30', '2026-01-31T25:30', '2026-01-31T17:30Z', '0'])(
    'is asked for again where it is something else: %s',
    (since) => {
      expect(() => parseDateTimeField({ since }, 'since')).toThrow('must be a date and a time');
    },
  );
});
