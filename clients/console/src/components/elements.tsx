import { useLayoutEffect, useRef } from 'preact/hooks';
import { Id } from '@external-api/pages';
import type { StreamState } from '../content/follow-events';
import { offerCopying, showRelativeTime } from '../lib/enhancements';

/** Time as "4 min ago", with the exact local time as a tooltip. `console.js` keeps it current. @param at Unix ms */
export function RelativeTime({ at }: { at: number }) {
  const time = useRef<HTMLTimeElement>(null);
  useLayoutEffect(() => showRelativeTime(time.current!), [at]);
  return <time ref={time} dateTime={new Date(at).toISOString()} />;
}

/** Id, shortened in the middle, with a button that copies it. */
export function CopyableId({ id }: { id: string }) {
  const shown = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => offerCopying(shown.current!), []);
  return (
    <span ref={shown}>
      <Id value={id} />
    </span>
  );
}

const STREAM_TEXTS: Record<StreamState, string> = {
  connecting: 'Connecting …',
  live: 'Live',
  offline: 'Connection lost. Trying again …',
  crowded: 'Too many pages are open. Trying again …',
  ended: 'Live updates have stopped. Reload the page.',
};

/** Says whether the page shows what happens now. */
export function LiveStatus({ state }: { state: StreamState }) {
  return (
    <p class={`live-status is-${state}`} role="status">
      {STREAM_TEXTS[state]}
    </p>
  );
}

/** Error message of an act; nothing for an empty text. */
export function Problem({ text }: { text: string }) {
  return text ? (
    <p class="notice problem" role="alert">
      {text}
    </p>
  ) : null;
}
