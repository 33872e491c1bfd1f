import { Fragment } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { LiveItem } from './live-item';
import { MessageItem } from './message-item';
import { getFirstSeq, isAtEnd, placeTurnMarks } from './message-window';
import type { SessionState } from './session-state';
import { describeEndedTurn } from './turn-words';

/** Distance from the end in px within which the list stays at its end when messages arrive. */
const END_DISTANCE = 80;

/** The messages of a session, which load on when the reader scrolls to either end. */
export function MessageList({ state }: { state: SessionState }) {
  const { window, turns, liveTexts, isLoading, problem, loadEarlier, loadLater, showFirst, showLatest } = state;
  const box = useRef<HTMLDivElement>(null);
  const wasAtEnd = useRef(true);
  const anchor = useRef<{ seq: string; top: number } | null>(null);
  const first = getFirstSeq(window);
  // Text that the agent is writing changes several times a second, and must not render the other messages again.
  const items = useMemo(() => {
    const { begun, ended } = placeTurnMarks(window, turns);
    return window.messages.map((message) => {
      const endedTurn = ended.get(message.seq);
      return (
        <Fragment key={message.seq}>
          {begun.has(message.seq) && <li class="turn-mark">The agent went on by itself</li>}
          <MessageItem message={message} />
          {endedTurn && <li class="turn-mark">{describeEndedTurn(endedTurn)}</li>}
        </Fragment>
      );
    });
  }, [window, turns]);
  const isEnd = isAtEnd(window);

  // The reader keeps the place: the end if it was visible, otherwise the message at the top.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    if (wasAtEnd.current && isEnd) element.scrollTop = element.scrollHeight;
    else if (anchor.current) {
      const item = element.querySelector(`[data-seq="${anchor.current.seq}"]`);
      if (item) element.scrollTop += item.getBoundingClientRect().top - anchor.current.top;
    }
  }, [window, turns, liveTexts]);

  const handleScroll = () => {
    const element = box.current!;
    wasAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < END_DISTANCE;
    anchor.current = findTopMessage(element);
    loadMore();
  };
  const loadMore = () => {
    const element = box.current;
    if (!element || isLoading) return;
    if (element.scrollTop < END_DISTANCE && first > 1) loadEarlier();
    else if (wasAtEnd.current && !isEnd) loadLater();
  };
  // At an end, no scroll event follows: neither after a load, nor in a box that its messages don't fill. After a
  // failure, the reader scrolls to try again.
  useEffect(() => {
    if (!problem) loadMore();
  }, [window, isLoading]);

  const jumpToFirst = () => {
    wasAtEnd.current = false;
    anchor.current = null;
    showFirst();
    box.current!.scrollTop = 0;
  };
  const jumpToLatest = () => {
    wasAtEnd.current = true;
    if (isEnd) box.current!.scrollTop = box.current!.scrollHeight;
    else showLatest();
  };
  return (
    <section class="history" aria-label="Messages">
      <div class="messages" ref={box} tabIndex={0} onScroll={handleScroll} aria-busy={isLoading}>
        {window.lastSeq === 0 && liveTexts.length === 0 && <p class="none">No messages yet</p>}
        <ol>
          {items}
          {isEnd && liveTexts.map((live) => <LiveItem key={live.localId} live={live} />)}
        </ol>
      </div>
      <p class="history-position">
        {window.messages.length > 0 && (
          <small>
            {`Messages ${first.toLocaleString()} to ${window.messages.at(-1)!.seq.toLocaleString()} of `}
            {window.lastSeq.toLocaleString()}
          </small>
        )}
        {first > 1 && (
          <button type="button" class="plain" onClick={jumpToFirst}>
            Go to the first
          </button>
        )}
        {(first > 1 || !isEnd) && (
          <button type="button" class="plain" onClick={jumpToLatest}>
            Go to the latest
          </button>
        )}
      </p>
    </section>
  );
}

/** Returns the first message that is visible, with its position. */
function findTopMessage(box: HTMLElement): { seq: string; top: number } | null {
  const edge = box.getBoundingClientRect().top;
  for (const item of box.querySelectorAll<HTMLElement>('[data-seq]')) {
    const { top, bottom } = item.getBoundingClientRect();
    if (bottom >= edge) return { seq: item.dataset.seq!, top };
  }
  return null;
}
