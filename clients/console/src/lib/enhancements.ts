/** Progressive enhancement of a page, or of a part that was loaded later. */
export { offerCopying } from '@external-api/pages/browser';

const UNITS: readonly { name: string; ms: number; limit: number }[] = [
  { name: 's', ms: 1_000, limit: 60_000 },
  { name: 'min', ms: 60_000, limit: 3_600_000 },
  { name: 'h', ms: 3_600_000, limit: 86_400_000 },
  { name: 'd', ms: 86_400_000, limit: 30 * 86_400_000 },
];

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/**
 * Formats the distance to `now`, and the local date if it is more than 30 days.
 * @param at Unix ms
 */
export function formatRelativeTime(at: number, now: number): string {
  const distance = Math.abs(at - now);
  const unit = UNITS.find(({ limit }) => distance < limit);
  if (!unit) return DATE.format(at);
  const count = Math.floor(distance / unit.ms);
  if (count === 0) return 'now';
  return at < now ? `${count} ${unit.name} ago` : `in ${count} ${unit.name}`;
}

/** Formats a local time to the second. @param at Unix ms */
export function formatExactTime(at: number): string {
  return EXACT.format(at);
}

/** Replaces UTC times with relative ones. Their titles show the exact local times. */
export function showRelativeTimes(within: ParentNode): void {
  const now = Date.now();
  for (const time of within.querySelectorAll('time')) {
    showRelativeTime(time, now);
  }
}

/** @param now Unix ms */
export function showRelativeTime(time: HTMLTimeElement, now = Date.now()): void {
  const at = Date.parse(time.dateTime);
  const text = Number.isNaN(at) ? time.textContent : formatRelativeTime(at, now);
  // An unnecessary change would clear a selection.
  if (time.textContent !== text) time.textContent = text;
  if (time.dataset.exact === time.dateTime) return;
  time.dataset.exact = time.dateTime;
  time.title = formatExactTime(at);
}
