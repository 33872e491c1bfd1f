import { UsageError } from './command';

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `30m`, `12h` or `7d` in ms. @throws UsageError naming the option */
export function durationMs(text: string, option: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? 0);
  if (ms <= 0) throw new UsageError(`--${option} is no duration such as 30m, 12h or 7d: ${text}`);
  return ms;
}
