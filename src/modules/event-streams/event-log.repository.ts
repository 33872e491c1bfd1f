import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { UnitOfWork } from '../../core/database';
import type { EventType } from '../../core/events';

/**
 * Identifies the history of the log. Differs after a restore: of a dump by the table, to another cluster by the
 * system, and to a point in time, as after a failover, by the timeline. Transaction ids and positions that were read
 * before are then given again.
 */
const GENERATION = `left(md5(concat_ws(' ', 'event_log'::regclass::oid, left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (SELECT system_identifier FROM pg_control_system()))), 8)`;
const COLUMNS = 'id, session_id, position, type, payload';
/** Time limit of a statement that reads what the streams of one account have missed. */
const BACKLOG_TIMEOUT = '5s';
/** Events that a statement for the streams of many accounts sorts for each of them. */
const MAX_PRESENT_EVENTS = 1_000;
/** Missed events of an account beyond which a stream expires (docs/protocol/event-streams.md#cursors). */
export const MAX_MISSED_EVENTS = 10_000;

/** Condition of the events after the place `p`, in SQL. `xmin` bounds the part of the index that is read. */
const FOLLOWS_PLACE = `account_id = p.account_id AND xid >= pg_snapshot_xmin(p.after::pg_snapshot)
  AND NOT pg_visible_in_snapshot(xid, p.after::pg_snapshot)
  AND pg_visible_in_snapshot(xid, coalesce(p.until::pg_snapshot, pg_current_snapshot()))
  AND (p.last_id IS NULL OR (coalesce(session_id, ''), coalesce(position, 0), id)
         > (p.last_session_id, p.last_position, p.last_id))`;
const PLACES = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[])
  WITH ORDINALITY AS p(account_id, after, until, last_session_id, last_position, last_id, n)`;

/** Place of an event among those of a page of the account: by session, and in it by position. */
export interface EventKey {
  /** Empty for an event of the account. */
  sessionId: string;
  position: number;
  id: string;
}

/** Place in the events of an account. Snapshots are in the text format of `pg_snapshot`. */
export interface AccountPlace {
  accountId: string;
  /** Everything visible in this snapshot has been read. */
  after: string;
  /** Unix ms before the snapshot `after` */
  at: number;
  /** Set within a page: the snapshot of the page, its time as in `at`, and the last event of it that was read. */
  page: { until: string; untilAt: number; last: EventKey } | null;
}

/** Place in the events of a session. */
export interface SessionPlace {
  accountId: string;
  sessionId: string;
  /** Position of the last event that was read. */
  after: number;
  /** Unix ms at which there was no event beyond those that have been read. */
  at: number;
}

export interface LoggedEvent {
  id: string;
  key: EventKey;
  type: EventType;
  payload: string;
}

/** Events after a place. */
export interface EventPage {
  events: LoggedEvent[];
  /** Whether more events may follow. */
  isFull: boolean;
  /** Whether more events follow than are sorted, so that the page has none. */
  isOverflowing: boolean;
  /** Unix ms before the page was read */
  readAt: number;
  /** Snapshot that the page was read in. */
  snapshot: string;
  generation: string;
}

interface PageRow {
  n: number;
  snapshot: string;
  generation: string;
  id: string | null;
  session_id: string | null;
  position: string | null;
  type: EventType;
  payload: string;
  candidates?: number | null;
}

/** Reads the log of events. Its rows are written by `EventOutboxService`. */
@Injectable()
export class EventLogRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the present snapshot, its time, and the position of the session's last event, null without such a session.
   * @param sessionId null for the account
   */
  async findPresent(accountId: string, sessionId: string | null) {
    const at = this.clock.now();
    const [row] = await this.unitOfWork.queryRows<{ snapshot: string; generation: string; position: string | null }>(
      `SELECT pg_current_snapshot()::text AS snapshot, ${GENERATION} AS generation,
              (SELECT event_position FROM sessions WHERE account_id = $1 AND id = $2) AS position`,
      [accountId, sessionId],
    );
    const { position, ...present } = row!;
    return { ...present, at, position: position === null ? null : Number(position) };
  }

  /**
   * Returns a page of events after each place, in one statement. An event is in it if its transaction is visible now
   * and was not in the snapshot of the place: it had not begun, or it was in progress. So a transaction that commits
   * late is read late, and delays no other.
   */
  async readAccounts(
    places: readonly AccountPlace[],
    limit: number,
    maxCandidates = MAX_PRESENT_EVENTS,
  ): Promise<EventPage[]> {
    const readAt = this.clock.now();
    const rows = await this.unitOfWork.queryRows<PageRow>(
      `SELECT p.n, pg_current_snapshot()::text AS snapshot, ${GENERATION} AS generation, e.*
         FROM ${PLACES}
         LEFT JOIN LATERAL (
           SELECT * FROM (
             SELECT *, count(*) OVER ()::int AS candidates FROM (
               SELECT ${COLUMNS} FROM event_log WHERE ${FOLLOWS_PLACE} ORDER BY xid LIMIT $8) AS candidate) AS counted
            ORDER BY coalesce(session_id, ''), coalesce(position, 0), id LIMIT $7) e ON true
        ORDER BY p.n, coalesce(e.session_id, ''), coalesce(e.position, 0), e.id`,
      [...toPlaceParameters(places), limit, maxCandidates + 1],
    );
    return toPages(rows, { count: places.length, limit, readAt, maxCandidates });
  }

  /** Returns a page of events after a place that may be far behind, within a time limit of its own. */
  readMissed(place: AccountPlace, limit: number): Promise<EventPage> {
    return this.runForBacklog(async () => (await this.readAccounts([place], limit, MAX_MISSED_EVENTS))[0]!);
  }

  /** Returns whether more events follow the place than a stream is sent. */
  async hasMissedTooMany(place: AccountPlace): Promise<boolean> {
    const [row] = await this.runForBacklog(() =>
      this.unitOfWork.queryRows<{ count: number }>(
        `SELECT count(*)::int AS count FROM (
           SELECT 1 FROM ${PLACES} CROSS JOIN LATERAL (
             SELECT xid FROM event_log WHERE ${FOLLOWS_PLACE} ORDER BY xid LIMIT $7) AS e) AS missed`,
        [...toPlaceParameters([place]), MAX_MISSED_EVENTS + 1],
      ),
    );
    return row!.count > MAX_MISSED_EVENTS;
  }

  /**
   * Reads within a time limit, and in the order of the index. PostgreSQL can't know how few events the snapshots leave
   * out: it expects fewer than the limit, and would read and sort all that the account has missed.
   * Sorts of a page still occur, at a high estimated cost, which must not start the compilation of the statement.
   */
  private runForBacklog<T>(read: () => Promise<T>): Promise<T> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.unitOfWork.queryRows(
        `SELECT set_config('statement_timeout', '${BACKLOG_TIMEOUT}', true), set_config('enable_sort', 'off', true),
                set_config('jit', 'off', true)`,
      );
      return read();
    });
  }

  /** Returns a page of events after each place, in one statement. Positions become visible in their order. */
  async readSessions(places: readonly SessionPlace[], limit: number): Promise<EventPage[]> {
    const readAt = this.clock.now();
    const rows = await this.unitOfWork.queryRows<PageRow>(
      `SELECT p.n, pg_current_snapshot()::text AS snapshot, ${GENERATION} AS generation, e.*
         FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS p(account_id, session_id, after, n)
         LEFT JOIN LATERAL (
           SELECT ${COLUMNS} FROM event_log
            WHERE session_id = p.session_id AND position > p.after AND account_id = p.account_id
            ORDER BY position LIMIT $4) e ON true
        ORDER BY p.n, e.position`,
      [
        places.map(({ accountId }) => accountId),
        places.map(({ sessionId }) => sessionId),
        places.map(({ after }) => after),
        limit,
      ],
    );
    return toPages(rows, { count: places.length, limit, readAt, maxCandidates: Infinity });
  }
}

function toPlaceParameters(places: readonly AccountPlace[]): unknown[] {
  return [
    places.map(({ accountId }) => accountId),
    places.map(({ after }) => after),
    places.map(({ page }) => page?.until ?? null),
    places.map(({ page }) => page?.last.sessionId ?? null),
    places.map(({ page }) => page?.last.position ?? null),
    places.map(({ page }) => page?.last.id ?? null),
  ];
}

interface PageLimits {
  /** Number of places. */
  count: number;
  limit: number;
  readAt: number;
  maxCandidates: number;
}

/** Groups the rows by place. A place without events has one row without an event. */
function toPages(rows: PageRow[], { count, limit, readAt, maxCandidates }: PageLimits) {
  const pages: EventPage[] = Array.from({ length: count }, () => ({
    events: [],
    isFull: false,
    isOverflowing: false,
    readAt,
    snapshot: '',
    generation: '',
  }));
  for (const { n, snapshot, generation, id, session_id, position, type, payload, candidates } of rows) {
    const page = pages[Number(n) - 1]!;
    Object.assign(page, { snapshot, generation, isOverflowing: (candidates ?? 0) > maxCandidates });
    if (id === null || page.isOverflowing) continue;
    const key = { sessionId: session_id ?? '', position: Number(position ?? 0), id };
    page.isFull = page.events.push({ id, key, type, payload }) === limit;
  }
  return pages;
}
