import { InvalidArgumentError } from 'commander';

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses `30m`, `12h` or `7d` to milliseconds. @throws InvalidArgumentError */
export function parseDurationMs(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? 0);
  if (ms <= 0) throw new InvalidArgumentError('Use a duration such as 30m, 12h or 7d.');
  return ms;
}

/** @throws InvalidArgumentError */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Use a whole number.');
  return Number(text);
}

/** Splits `a, b` at the commas. @throws InvalidArgumentError when no item is left */
export function parseList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (!items.some(Boolean)) throw new InvalidArgumentError('It must not be empty.');
  return items.filter(Boolean);
}

/** Rejects the empty text that an unset variable of a shell script leaves. @throws InvalidArgumentError */
export function requireText(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}
