import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { StreamState } from '../content/follow-events';
import { Id } from '../../components/id';
import { offerCopying, showRelativeTime } from '../lib/enhancements';

const UPDATE_INTERVAL_MS = 10_000;

/** Time as "4 min ago", with the exact local time as a tooltip. `console.js` keeps it current. @param at Unix ms */
export function RelativeTime({ at }: { at: number }) {
  const time = useRef<HTMLTimeElement>(null);
  useLayoutEffect(() => showRelativeTime(time.current!), [at]);
  return <time ref={time} dateTime={new Date(at).toISOString()} />;
}

/** Returns the time in Unix ms, again and again. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => addTimeListener(() => setNow(Date.now())), []);
  return now;
}

const timeListeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** One timer serves all parts of the page. @returns a function that removes the listener */
function addTimeListener(listener: () => void): () => void {
  timeListeners.add(listener);
  scheduleTimeUpdate();
  return () => {
    timeListeners.delete(listener);
    if (timeListeners.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
  };
}

function scheduleTimeUpdate(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    for (const each of timeListeners) each();
    scheduleTimeUpdate();
  }, UPDATE_INTERVAL_MS);
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
