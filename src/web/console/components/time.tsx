const TIME_FORMAT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/**
 * A point in time: relative once `console.js` has run, with the exact local time as a tooltip. UTC without scripts.
 * @param at Unix ms; null means never
 */
export function Time({ at }: { at: number | null }) {
  if (at === null) return <span class="none">never</span>;
  const exact = new Date(at).toISOString();
  return (
    <time datetime={exact} title={exact}>
      {`${TIME_FORMAT.format(at)} UTC`}
    </time>
  );
}
