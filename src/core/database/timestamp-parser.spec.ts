import { types } from 'pg';
import { parseTimestamp } from './timestamp-parser';

const parseWithPg = types.getTypeParser(types.builtins.TIMESTAMPTZ, 'text') as (text: string) => Date | number;

describe('parseTimestamp', () => {
  it.each([
    '2026-01-31 12:34:56+00',
    '2024-02-29 23:59:59.9+00',
    '2026-12-01 00:00:00.12+00',
    '1969-12-31 23:59:59.5+00',
    '1995-11-25 10:00:00.123456+00',
    '0099-01-01 00:00:00+00',
    '12026-01-31 12:34:56+00',
    '0044-03-15 12:00:00+00 BC',
    '2026-01-31 12:34:56+02',
    '2026-01-31 12:34:56.5+05:30',
    '2026-01-31 12:34:56-00:30',
    'infinity',
    '-infinity',
  ])('parses %s like pg', (text) => expect(parseTimestamp(text)).toEqual(parseWithPg(text)));

  it('parses each millisecond', () => {
    for (let ms = 0; ms < 1_000; ms++) {
      const time = Date.UTC(2026, 10, 25, 10, 15, 30, ms);
      const fraction = `.${String(ms).padStart(3, '0')}`.replace(/\.?0+$/, '');
      const text = `2026-11-25 10:15:30${fraction}+00`;
      expect([text, (parseTimestamp(text) as Date).getTime()]).toEqual([text, time]);
    }
  });
});
