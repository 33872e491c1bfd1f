import { Fragment, type ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Approval } from '../approvals/open-approval';
import type { AccountApi } from '../content/account-api';
import { LiveItem } from './live-item';
import { MessageItem } from './message-item';
import { getFirstSeq, isAtEnd, placeDecisions, placeTurnMarks } from './message-window';
import { DecidedRequest } from './session-approvals';
import type { SessionState } from './session-state';
import { describeEndedTurn } from './turn-words';

/** Distance from the end in px within which the list stays at its end when messages arrive. */
const END_DISTANCE = 80;
/** Messages of a session. For a longer one, the page says which messages it shows. */
const SHORT_SESSION = 100;

interface MessageListProps {
  api: AccountApi;
  state: SessionState;
  /** Shown between the messages. */
  decided: readonly Approval[];
  /** Grows with each message that this page sends. */
  sentCount: number;
  /** Shown behind the last message. */
  children: ComponentChildren;
}

/** The messages of a session, which load on when the reader scrolls to either end. */
export function MessageList({ api, state, decided, sentCount, children }: MessageListProps) {
  const { window, turns, liveTexts, isLoading, problem, loadEarlier, loadLater, showFirst, showLatest } = state;
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const wasAtEnd = useRef(true);
  const anchor = useRef<{ seq: string; top: number } | null>(null);
  const [seenSeq, setSeenSeq] = useState<number | null>(null);
  const first = getFirstSeq(window);
  // Who has decided may become known later.
  const decidedKey = decided.map(({ record }) => `${record.id} ${record.decidedBy === undefined}`).join();
  // Text that the agent is writing changes several times a second, and must not render the other messages again.
  const items = useMemo(() => {
    const { begun, ended } = placeTurnMarks(window, turns);
    const decisions = placeDecisions(window, decided);
    return window.messages.map((message) => {
      const endedTurn = ended.get(message.seq);
      return (
        <Fragment key={message.seq}>
          {begun.has(message.seq) && <li class="turn-mark">The agent went on by itself</li>}
          <MessageItem message={message} />
          {decisions.get(message.seq)?.map((approval) => (
            <DecidedRequest key={approval.record.id} api={api} approval={approval} />
          ))}
          {endedTurn && <li class="turn-mark">{describeEndedTurn(endedTurn)}</li>}
        </Fragment>
      );
    });
  }, [window, turns, decidedKey]);
  const isEnd = isAtEnd(window);
  const newest = useRef({ isEnd, lastSeq: window.lastSeq });
  newest.current = { isEnd, lastSeq: window.lastSeq };

  /** Notes whether the reader is at the end, and which messages have been there then. */
  const notePlace = () => {
    const element = box.current!;
    wasAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < END_DISTANCE;
    setSeenSeq((seq) => (wasAtEnd.current ? null : (seq ?? newest.current.lastSeq)));
  };
  const stayAtEnd = () => {
    if (wasAtEnd.current && newest.current.isEnd) box.current!.scrollTop = box.current!.scrollHeight;
    else notePlace();
  };

  // The reader keeps the place: the end if it was visible, otherwise the message at the top.
  useLayoutEffect(() => {
    const element = box.current!;
    if (wasAtEnd.current && isEnd) element.scrollTop = element.scrollHeight;
    else if (anchor.current) {
      const item = element.querySelector(`[data-seq="${anchor.current.seq}"]`);
      if (item) element.scrollTop += item.getBoundingClientRect().top - anchor.current.top;
    }
  }, [window, turns, liveTexts]);
  // The keyboard of a phone, a question of the agent and text that unfolds change sizes, too.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(stayAtEnd);
    observer.observe(box.current!);
    observer.observe(content.current!);
    return () => observer.disconnect();
  }, []);

  const handleScroll = () => {
    notePlace();
    anchor.current = findTopMessage(box.current!);
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
  const jumpToNewest = () => {
    wasAtEnd.current = true;
    if (isEnd) box.current!.scrollTop = box.current!.scrollHeight;
    else showLatest();
  };
  // Who writes wants to see the answer.
  useEffect(() => {
    if (sentCount > 0) jumpToNewest();
  }, [sentCount]);
  const newCount = seenSeq === null ? 0 : window.lastSeq - seenSeq;
  return (
    <section class="history" aria-label="Messages">
      {(first > 1 || !isEnd || window.lastSeq > SHORT_SESSION) && (
        <p class="history-position">
          <small>
            {`Messages ${first.toLocaleString()} to ${(window.messages.at(-1)?.seq ?? 0).toLocaleString()} of `}
            {window.lastSeq.toLocaleString()}
          </small>
          {first > 1 && (
            <button type="button" class="plain" onClick={jumpToFirst}>
              Go to the first
            </button>
          )}
        </p>
      )}
      <div
        class="messages"
        ref={box}
        tabIndex={0}
        onScroll={handleScroll}
        // What unfolds stays in sight.
        onClick={({ target }) => {
          if ((target as Element).closest('summary, .more-lines')) wasAtEnd.current = false;
        }}
        aria-busy={isLoading}
      >
        <div class="messages-content" ref={content}>
          {window.lastSeq === 0 && liveTexts.length === 0 && <p class="none">No messages yet</p>}
          <ol>
            {items}
            {isEnd && liveTexts.map((live) => <LiveItem key={live.localId} live={live} />)}
          </ol>
          {children}
        </div>
      </div>
      {(seenSeq !== null || !isEnd) && (
        <button
          type="button"
          class="newest secondary"
          onClick={() => {
            jumpToNewest();
            box.current!.focus({ preventScroll: true });
          }}
        >
          {newCount > 0 ? `${newCount.toLocaleString()} new ${newCount === 1 ? 'message' : 'messages'}` : 'Newest'}
        </button>
      )}
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
