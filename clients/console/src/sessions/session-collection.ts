import { useEffect, useState } from 'preact/hooks';
import type { AccountApi, ListPage } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { CoalescedRefresh } from '../content/coalesced-refresh';
import { followEvents, type StreamState } from '../content/follow-events';
import { usePagedRecords, type PagedRecords } from '../content/paged-records';
import type { SessionRecord } from '../content/records';
import { ServiceError } from '../lib/api-client';
import { toListedPage, toListedSession, type ListedSession } from './listed-session';

export type SessionFilter = 'active' | 'ended' | 'all';

const PAGE_SIZE = 100;
/** Sessions that have changed are read again at most this often and this many at a time: a device has a rate limit. */
const REFRESH_INTERVAL_MS = 800;
const MAX_REFRESHES = 5;

interface SessionCollection extends PagedRecords<ListedSession> {
  streamState: StreamState;
}

interface SessionSource {
  api: AccountApi;
  keys: AccountKeys | null;
  filter: SessionFilter;
  /** Reads the page of another list than that of all sessions by their creation. */
  readPage?: (cursor: string | null) => Promise<ListPage<SessionRecord>>;
}

/** Loads the sessions page by page, newest first, and keeps the loaded ones up to date. */
export function useSessions({ api, keys, filter, readPage }: SessionSource): SessionCollection {
  const [streamState, setStreamState] = useState<StreamState>('connecting');
  const state = filter === 'all' ? undefined : filter;
  const readByCreation = (cursor: string | null) =>
    api.getPage<SessionRecord>('/v1/sessions', cursor ? { cursor } : { limit: PAGE_SIZE, state });
  const paged = usePagedRecords<ListedSession>({
    key: filter,
    readPage: async (cursor) => toListedPage(await (readPage ?? readByCreation)(cursor), keys),
  });

  useEffect(() => {
    const closing = new AbortController();
    const changedIds = new Set<string>();
    const readChanged = async (): Promise<void> => {
      const ids = [...changedIds].slice(0, MAX_REFRESHES);
      for (const id of ids) changedIds.delete(id);
      try {
        const read = await Promise.all(ids.map((id) => readSession(api, keys, id)));
        if (closing.signal.aborted) return;
        const isShown = (session: ListedSession | null): session is ListedSession =>
          session !== null && (!state || session.state === state);
        const shown = read.filter(isShown);
        const shownIds = new Set(shown.map(({ id }) => id));
        paged.removeRecords(({ id }) => ids.includes(id) && !shownIds.has(id));
        paged.mergeRecords(shown);
        paged.reportProblem(null);
      } catch (error) {
        for (const id of ids) changedIds.add(id);
        throw error;
      }
      if (changedIds.size > 0) refresh.scheduleRefresh();
    };
    const refresh = new CoalescedRefresh(readChanged, paged.reportProblem, REFRESH_INTERVAL_MS);
    followEvents(
      api,
      '/v1/control/events',
      {
        onEvent: (event) => {
          const sessionId = findSessionId(event.type, event.data);
          if (!sessionId) return;
          changedIds.add(sessionId);
          refresh.scheduleRefresh();
        },
        // Also when the stream has opened at first: changes before that were not announced.
        onReset: paged.reload,
        onStateChange: setStreamState,
      },
      closing.signal,
    );
    return () => {
      refresh.stop();
      closing.abort();
    };
  }, [filter]);

  return { ...paged, streamState };
}

/** Returns the session of an event of the account's stream, if it belongs to one. */
function findSessionId(type: string, payload: unknown): string | null {
  const { data } = payload as { data: { id?: string; sessionId?: string } };
  if (type.startsWith('session.')) return data.id ?? null;
  return /^(message|turn|permission)\./.test(type) ? (data.sessionId ?? null) : null;
}

/** Returns null if the session no longer exists. */
async function readSession(api: AccountApi, keys: AccountKeys | null, id: string): Promise<ListedSession | null> {
  try {
    return await toListedSession(await api.getRecord<SessionRecord>(`/v1/sessions/${id}`), keys);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return null;
    throw error;
  }
}
