const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;
const DATE_AFTER_MS = 30 * 86_400_000;

/** Formats a time as `4 min ago` or `in 12 s`, a distant one as `2026-01-31`, and none as `-`. */
export function formatRelativeTime(unixMs: number | null | undefined, now: number): string {
  if (unixMs === null || unixMs === undefined) return '-';
  const distance = Math.abs(now - unixMs);
  if (distance < 1_000) return 'now';
  if (distance > DATE_AFTER_MS) return new Date(unixMs).toISOString().slice(0, 10);
  const duration = formatDuration(distance);
  return unixMs > now ? `in ${duration}` : `${duration} ago`;
}

/** Formats a duration in its largest unit, such as `4 min`. */
export function formatDuration(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= one) ?? UNITS.at(-1)!;
  return `${Math.floor(ms / size)} ${unit}`;
}

/** Formats the local time of day. */
export function formatClockTime(unixMs: number): string {
  const date = new Date(unixMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
