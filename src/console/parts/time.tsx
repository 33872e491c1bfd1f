const DAY_AND_MINUTE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/**
 * A moment in the person's own time, once `console.js` has run; in UTC before, and exactly on hover.
 * @param at Unix ms; null: never
 */
export function Time({ at, never = 'never' }: { at: number | null; never?: string }) {
  if (at === null) return <span class="none">{never}</span>;
  const exact = new Date(at).toISOString();
  return (
    <time datetime={exact} title={exact}>
      {`${DAY_AND_MINUTE.format(at)} UTC`}
    </time>
  );
}
