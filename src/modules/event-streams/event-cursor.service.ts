import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors';
import { Clock, DAY } from '../../common/clock';
import { CursorService, invalidCursorError, type KeysetValue } from '../../core/database';
import type { AccountPlace, SessionPlace } from './event-log.repository';

/** How long events are kept for streams. */
const RETENTION_MS = DAY;

/** Place in the events of an account or of a session. */
export type EventPlace = AccountPlace | SessionPlace;

export const isSessionPlace = (place: EventPlace): place is SessionPlace => 'sessionId' in place;

/** What a stream follows: the events of an account, or of one of its sessions. */
export interface EventSource {
  accountId: string;
  sessionId: string | null;
}

/** Encodes places as cursors, which are the ids of a stream's events (docs/protocol/event-streams.md#cursors). */
@Injectable()
export class EventCursorService {
  constructor(
    private readonly cursorService: CursorService,
    private readonly clock: Clock,
  ) {}

  encodePlace(place: EventPlace, generation: string): string {
    const after: KeysetValue[] = isSessionPlace(place) ? [place.after] : [place.after];
    if (!isSessionPlace(place) && place.page) {
      const { until, last } = place.page;
      after.push(until, last.sessionId, last.position, last.id);
    }
    const sessionId = isSessionPlace(place) ? place.sessionId : null;
    return this.cursorService.encodeCursor({
      list: getListName({ accountId: place.accountId, sessionId }),
      filters: { generation, at: this.clock.now() },
      order: 'asc',
      after,
    });
  }

  /**
   * Returns the place of the cursor.
   * @param present place of a stream that begins now
   * @throws ApiError 400 `invalid_cursor` for the cursor of another stream, 410 `stream_expired` for one that is older
   *   than the log, of another generation, or ahead of the present: the database's files were put back
   */
  decodePlace(text: string, present: EventPlace, generation: string): EventPlace {
    const { accountId } = present;
    const sessionId = isSessionPlace(present) ? present.sessionId : null;
    const cursor = this.cursorService.decodeCursor(text);
    if (cursor.list !== getListName({ accountId, sessionId })) {
      throw invalidCursorError('This cursor belongs to another stream.');
    }
    const { filters, after } = cursor;
    const isExpired = Number(filters.at) < this.clock.now() - RETENTION_MS;
    const [snapshot, until, lastSessionId, lastPosition, lastId] = after.map(String);
    const last = { sessionId: lastSessionId!, position: Number(lastPosition), id: lastId! };
    const place: EventPlace =
      sessionId === null
        ? { accountId, after: snapshot!, page: until === undefined ? null : { until, last } }
        : { accountId, sessionId, after: Number(snapshot) };
    if (isExpired || filters.generation !== generation || isAhead(place, present)) throw streamExpiredError(text);
    return place;
  }
}

/** Whether the place was reached in another history than the present one. */
function isAhead(place: EventPlace, present: EventPlace): boolean {
  if (isSessionPlace(place) || isSessionPlace(present)) return Number(place.after) > Number(present.after);
  return readSnapshotEnd(place.page?.until ?? place.after) > readSnapshotEnd(present.after);
}

/** Returns the first transaction id that had not been given at the snapshot: `xmax` of `xmin:xmax:xip_list`. */
function readSnapshotEnd(snapshot: string): bigint {
  return BigInt(snapshot.split(':')[1]!);
}

/** Cursors are bound to the name of their list. */
function getListName({ accountId, sessionId }: EventSource): string {
  return sessionId === null ? `events:${accountId}` : `session-events:${sessionId}`;
}

function streamExpiredError(lastEventId: string): ApiError {
  const detail =
    'The events after this id are no longer available. List the records, and open a new stream without it.';
  return new ApiError('stream_expired', detail, { members: { lastEventId } });
}
