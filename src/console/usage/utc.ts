import type { Span } from './periods';

const format = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' });

const NAME = {
  hour: format({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }),
  day: format({ weekday: 'short', day: 'numeric', month: 'short' }),
};
const MARK = { hour: NAME.hour, day: format({ day: 'numeric', month: 'short' }) };
const COUNT = new Intl.NumberFormat('en-GB');

/** Of a period: `21 Nov, 14:00` or `Sat, 21 Nov`. @param start Unix ms */
export function periodName(granularity: Span['granularity'], start: number): string {
  return NAME[granularity].format(start);
}

/** The same on an axis, where there is little room. */
export function periodMark(granularity: Span['granularity'], start: number): string {
  return MARK[granularity].format(start);
}

/** `12,345` */
export function figure(count: number): string {
  return COUNT.format(count);
}

export function callsOf(count: number): string {
  return `${figure(count)} ${count === 1 ? 'call' : 'calls'}`;
}
