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
   * late is read late, and delays no other: `xmin` only bounds the part of the index that is searched.
   */
  async readAccounts(places: readonly AccountPlace[], limit: number): Promise<EventPage[]> {
    const readAt = this.clock.now();
    const rows = await this.unitOfWork.queryRows<PageRow>(
      `SELECT p.n, pg_current_snapshot()::text AS snapshot, ${GENERATION} AS generation, e.*
         FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[])
                WITH ORDINALITY AS p(account_id, after, until, last_session_id, last_position, last_id, n)
         LEFT JOIN LATERAL (
           SELECT ${COLUMNS} FROM event_log
            WHERE account_id = p.account_id AND xid >= pg_snapshot_xmin(p.after::pg_snapshot)
              AND NOT pg_visible_in_snapshot(xid, p.after::pg_snapshot)
              AND pg_visible_in_snapshot(xid, coalesce(p.until::pg_snapshot, pg_current_snapshot()))
              AND (p.last_id IS NULL OR (coalesce(session_id, ''), coalesce(position, 0), id)
                     > (p.last_session_id, p.last_position, p.last_id))
            ORDER BY coalesce(session_id, ''), coalesce(position, 0), id LIMIT $7) e ON true
        ORDER BY p.n, coalesce(e.session_id, ''), coalesce(e.position, 0), e.id`,
      [
        places.map(({ accountId }) => accountId),
        places.map(({ after }) => after),
        places.map(({ page }) => page?.until ?? null),
        places.map(({ page }) => page?.last.sessionId ?? null),
        places.map(({ page }) => page?.last.position ?? null),
        places.map(({ page }) => page?.last.id ?? null),
        limit,
      ],
    );
    return toPages(rows, { count: places.length, limit, readAt });
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
    return toPages(rows, { count: places.length, limit, readAt });
  }
}

/** Groups the rows by place. A place without events has one row without an event. */
function toPages(rows: PageRow[], { count, limit, readAt }: { count: number; limit: number; readAt: number }) {
  const pages: EventPage[] = Array.from({ length: count }, () => ({
    events: [],
    isFull: false,
    readAt,
    snapshot: '',
    generation: '',
  }));
  for (const { n, snapshot, generation, id, session_id, position, type, payload } of rows) {
    const page = pages[Number(n) - 1]!;
    Object.assign(page, { snapshot, generation });
    if (id === null) continue;
    const key = { sessionId: session_id ?? '', position: Number(position ?? 0), id };
    page.isFull = page.events.push({ id, key, type, payload }) === limit;
  }
  return pages;
}
