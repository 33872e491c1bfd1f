import { useEffect, useRef, useState } from 'preact/hooks';
import { formatProblem } from '../components/mount-page';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import type { SessionOpener } from '../content/content-opener';
import { followEvents, type StreamState } from '../content/follow-events';
import { usePoll } from '../content/use-poll';
import type { SessionRecord, TurnRecord } from '../content/records';
import { addDelta, LIVE_KINDS, type LiveText } from './live-text';
import { EMPTY_WINDOW, type MessageWindow } from './message-window';
import { SessionLoader } from './session-loader';

const OPEN_TURN_STATES: TurnRecord['state'][] = ['queued', 'running', 'requires_action', 'lost'];
const FINAL_TURN_STATES: TurnRecord['state'][] = ['completed', 'failed', 'cancelled'];

export interface SessionState {
  /** Null until it is loaded. */
  session: SessionRecord | null;
  title: string;
  /** Null until the session is loaded, and without keys. */
  opener: SessionOpener | null;
  window: MessageWindow;
  liveTexts: readonly LiveText[];
  openTurns: readonly TurnRecord[];
  /** Turns of the messages, by their ids. */
  turns: ReadonlyMap<string, TurnRecord>;
  /** Grows with each event of a turn or a permission request, and when some may have been missed. */
  changeCount: number;
  streamState: StreamState;
  isLoading: boolean;
  problem: string;
  refresh: () => void;
  loadEarlier: () => void;
  loadLater: () => void;
  showFirst: () => void;
  showLatest: () => void;
}

/** Loads a session with its last messages, and follows its events. */
export function useSession(api: AccountApi, keys: AccountKeys | null, sessionId: string): SessionState {
  const [session, setSession] = useState<SessionRecord | null>(null);
  const [title, setTitle] = useState('');
  const [opener, setOpener] = useState<SessionOpener | null>(null);
  const [window, setWindow] = useState<MessageWindow>(EMPTY_WINDOW);
  const [liveTexts, setLiveTexts] = useState<readonly LiveText[]>([]);
  const [openTurns, setOpenTurns] = useState<readonly TurnRecord[]>([]);
  const [turns, setTurns] = useState<ReadonlyMap<string, TurnRecord>>(new Map());
  const [changeCount, setChangeCount] = useState(0);
  const [streamState, setStreamState] = useState<StreamState>('connecting');
  const [isLoading, setLoading] = useState(true);
  const [problem, setProblem] = useState('');
  const loader = useRef<SessionLoader | null>(null);

  useEffect(() => {
    const closing = new AbortController();
    const current = new SessionLoader(api, keys, sessionId, {
      onSession: (record, openedTitle, openedKey) => {
        setSession(record);
        setTitle(openedTitle);
        setOpener(openedKey);
      },
      onWindow: (changed) => {
        setWindow(changed);
        const stored = new Set(changed.messages.map(({ localId }) => localId));
        setLiveTexts((texts) => texts.filter(({ localId }) => !stored.has(localId)));
      },
      onTurns: (newest, known) => {
        setTurns(known);
        setOpenTurns(newest.filter(({ state }) => OPEN_TURN_STATES.includes(state)));
        const endedIds = new Set(newest.filter(({ state }) => FINAL_TURN_STATES.includes(state)).map(({ id }) => id));
        setLiveTexts((texts) => texts.filter(({ turnId }) => !endedIds.has(turnId)));
      },
      onDelta: (delta, part) => setLiveTexts((texts) => addDelta(texts, delta, part)),
      onLoading: setLoading,
      onProblem: (error) => setProblem(error === null ? '' : formatProblem(error)),
    });
    loader.current = current;
    current.refresh();
    const path = `/v1/control/sessions/${sessionId}/events?content=sealed`;
    followEvents(
      api,
      `${path}&deltas=${LIVE_KINDS.join(',')}`,
      {
        onEvent: (event) => {
          current.handleEvent(event);
          if (/^(turn|permission)\./.test(event.type)) setChangeCount((count) => count + 1);
        },
        onReset: () => {
          current.refreshAll();
          setChangeCount((count) => count + 1);
        },
        onStateChange: setStreamState,
      },
      closing.signal,
      path,
    );
    return () => {
      current.stop();
      closing.abort();
    };
  }, [sessionId]);
  // Signs of life of an agent come without an event.
  const isRunning = openTurns.some(({ state }) => state === 'running');
  usePoll(openTurns, isRunning, () => loader.current?.refreshAll());

  return {
    session,
    title,
    opener,
    window,
    liveTexts,
    openTurns,
    turns,
    changeCount,
    streamState,
    isLoading,
    problem,
    refresh: () => loader.current?.refresh(),
    loadEarlier: () => loader.current?.moveWindow((reader, current) => reader.readEarlier(current)),
    loadLater: () => loader.current?.moveWindow((reader, current) => reader.readLater(current, current.lastSeq)),
    showFirst: () => loader.current?.moveWindow((reader, current) => reader.readFirst(current.lastSeq)),
    showLatest: () => loader.current?.moveWindow((reader, current) => reader.readLatest(current.lastSeq)),
  };
}
