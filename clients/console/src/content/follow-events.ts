import { ServiceError } from '../lib/api-client';
import type { AccountApi } from './account-api';
import { readEvents, type StreamEvent } from './event-stream-reader';

/**
 * State of a followed stream. `offline`: the connection is lost and will be opened again. `crowded`: it will be opened
 * once the account has fewer streams. `ended`: it won't, because the login has ended or the record no longer exists.
 */
export type StreamState = 'connecting' | 'live' | 'offline' | 'crowded' | 'ended';

export interface EventHandlers {
  /** Keeps the stream open while the page is hidden. */
  isNeededWhileHidden?: boolean;
  onEvent(event: StreamEvent): void;
  /** Events may have been missed, at the beginning or after a cursor has expired: the page reads its records again. */
  onReset(): void;
  onStateChange(state: StreamState): void;
}

const FIRST_DELAY_MS = 1_000;
/** A stream that ends sooner counts as a failure, after which the next attempt waits longer. */
const STABLE_MS = 10_000;
const MAX_DELAY_MS = 30_000;
const HIDDEN_TIMEOUT_MS = 60_000;
/** Responses after which a repetition would fail as well. */
const FINAL_STATUSES = [400, 401, 403, 404];

/**
 * Follows an event stream until the signal is aborted: reconnects, resumes after the last event, and pauses while the
 * page has been hidden for a minute, unless it is needed then.
 * @param olderPath for an instance of an earlier release, which refuses parameters that it doesn't know with 400
 */
export function followEvents(
  api: AccountApi,
  newestPath: string,
  handlers: EventHandlers,
  signal: AbortSignal,
  olderPath = newestPath,
): void {
  let path = newestPath;
  let lastEventId: string | null = null;
  let delayMs = FIRST_DELAY_MS;
  const { isNeededWhileHidden = false } = handlers;

  const readStream = async (): Promise<void> => {
    const connection = new AbortController();
    const startedAt = performance.now();
    const stopHiddenTimer = isNeededWhileHidden ? undefined : abortWhileHidden(connection);
    const abort = () => connection.abort();
    signal.addEventListener('abort', abort);
    try {
      const response = await api.openStream(path, lastEventId, connection.signal);
      const isResumed = lastEventId !== null;
      for await (const event of readEvents(response.body!, abort)) {
        if (event.cursor) lastEventId = event.cursor;
        // A cursor alone is the place at which the service ends a stream.
        if (event.data === undefined) continue;
        if (event.type === 'stream.opened') {
          handlers.onStateChange('live');
          if (!isResumed) handlers.onReset();
        } else handlers.onEvent(event);
      }
    } finally {
      if (performance.now() - startedAt > STABLE_MS) delayMs = FIRST_DELAY_MS;
      stopHiddenTimer?.();
      signal.removeEventListener('abort', abort);
    }
  };

  const follow = async (): Promise<void> => {
    handlers.onStateChange('connecting');
    while (!signal.aborted) {
      try {
        await readStream();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ServiceError && error.status === 400 && path !== olderPath) {
          path = olderPath;
          continue;
        }
        if (error instanceof ServiceError && error.status === 410) lastEventId = null;
        else if (error instanceof ServiceError && FINAL_STATUSES.includes(error.status)) {
          return handlers.onStateChange('ended');
        } else if (!document.hidden || isNeededWhileHidden) {
          const isCrowded = error instanceof ServiceError && error.code === 'too_many_streams';
          handlers.onStateChange(isCrowded ? 'crowded' : 'offline');
        }
      }
      if (!isNeededWhileHidden) await waitUntilVisible(signal);
      await sleep(delayMs * (0.5 + Math.random()), signal);
      delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
    }
  };
  void follow();
}

/** @returns a function that stops the timer */
function abortWhileHidden(connection: AbortController): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const update = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => connection.abort(), HIDDEN_TIMEOUT_MS);
  };
  document.addEventListener('visibilitychange', update);
  update();
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', update);
  };
}

async function waitUntilVisible(signal: AbortSignal): Promise<void> {
  while (document.hidden && !signal.aborted) {
    await new Promise((resolve) => {
      document.addEventListener('visibilitychange', resolve, { once: true });
      signal.addEventListener('abort', resolve, { once: true });
    });
  }
}

/** Resolves early when the computer is online again. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      removeEventListener('online', finish);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    addEventListener('online', finish);
    signal.addEventListener('abort', finish);
  });
}
