import { LiveStatus, Problem, RelativeTime } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import type { SessionRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';
import { useSessions } from './session-collection';
import { SessionBadge } from './session-badge';

const MAX_SHOWN = 5;
const DAY_MS = 86_400_000;
/** Periods in which recent activity is looked for, one after the other. */
const PERIODS_MS = [DAY_MS, 30 * DAY_MS];
const PAGE_SIZE = 100;
/** Sessions of one period that are read. If more were active, some of the oldest ones by creation are left out. */
const MAX_READ = 1_000;

/** The sessions in which something happened last, with their decrypted titles. */
export function RecentSessions({ api, keys }: { api: AccountApi; keys: AccountKeys | null }) {
  const readPage = async () => ({ data: await readRecentSessions(api, MAX_SHOWN, Date.now()), nextCursor: null });
  const { records, isLoading, problem, streamState } = useSessions({ api, keys, filter: 'all', readPage });
  const recent = [...records].sort((a, b) => b.lastActiveAt - a.lastActiveAt).slice(0, MAX_SHOWN);
  return (
    <>
      <LiveStatus state={streamState} />
      <Problem text={problem} />
      {isLoading && recent.length === 0 && <p aria-busy="true">Loading …</p>}
      {!isLoading && recent.length === 0 && !problem && <p>No session yet.</p>}
      <ul class="recent-sessions">
        {recent.map((session) => (
          <li key={session.id}>
            <a href={`/console/sessions/${session.id}`}>
              <bdi>{showInvisibleCharacters(session.title)}</bdi>
            </a>
            <SessionBadge session={session} />
            {!session.agent && <small>without an agent</small>}
            <small>
              <RelativeTime at={session.lastActiveAt} />
            </small>
          </li>
        ))}
      </ul>
      <p>
        <a href="/console/sessions">All sessions</a>
      </p>
    </>
  );
}

/**
 * Returns the sessions with the latest activity, the latest first. The service lists sessions by their creation and
 * filters them by their last update, so this reads those of a period that contains enough. Without activity in 30 days,
 * the newest sessions follow.
 */
export async function readRecentSessions(api: AccountApi, count: number, now: number): Promise<SessionRecord[]> {
  let found: SessionRecord[] = [];
  for (const periodMs of PERIODS_MS) {
    const updatedSince = now - periodMs;
    found = await api.getAll<SessionRecord>('/v1/sessions', { updatedSince, limit: PAGE_SIZE }, MAX_READ);
    // An update may be another one than an activity, such as a new title.
    if (found.filter(({ lastActiveAt }) => lastActiveAt >= updatedSince).length >= count)
      return takeLatest(found, count);
  }
  const newest = await api.getPage<SessionRecord>('/v1/sessions', { limit: PAGE_SIZE });
  const ids = new Set(found.map(({ id }) => id));
  return takeLatest([...found, ...newest.data.filter(({ id }) => !ids.has(id))], count);
}

function takeLatest(sessions: readonly SessionRecord[], count: number): SessionRecord[] {
  return [...sessions].sort((a, b) => b.lastActiveAt - a.lastActiveAt).slice(0, count);
}
