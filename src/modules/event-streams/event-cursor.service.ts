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

/** Encodes places as cursors, which are the ids of a stream's events (docs/protocol/event-streams.md#cursors). */
@Injectable()
export class EventCursorService {
  constructor(
    private readonly cursorService: CursorService,
    private readonly clock: Clock,
  ) {}

  encodePlace(place: EventPlace, generation: string): string {
    const after: KeysetValue[] = [place.after];
    if (!isSessionPlace(place) && place.page) {
      const { until, untilAt, last } = place.page;
      after.push(until, untilAt, last.sessionId, last.position, last.id);
    }
    return this.cursorService.encodeCursor({
      list: getListName(place),
      filters: { generation, at: place.at },
      order: 'asc',
      after,
    });
  }

  /**
   * Returns the place of the cursor, or the present one if no event of the session has followed, however long ago.
   * @param present place of a stream that begins now
   * @throws ApiError 400 `invalid_cursor` for the cursor of another stream, 410 `stream_expired` for one that is older
   *   than the log, of another generation, or ahead of the present: the database's files were put back
   */
  decodePlace(text: string, present: EventPlace, generation: string): EventPlace {
    const { list, filters, after } = this.cursorService.decodeCursor(text);
    if (list !== getListName(present)) throw invalidCursorError('This cursor belongs to another stream.');
    const place = toPlace(present, Number(filters.at), after.map(String));
    const hasMissedNothing = isSessionPlace(place) && place.after === present.after;
    if ((this.isExpired(place) && !hasMissedNothing) || filters.generation !== generation || isAhead(place, present)) {
      throw streamExpiredError(text);
    }
    return hasMissedNothing ? present : place;
  }

  /** Whether the log may have lost events that follow the place. */
  isExpired({ at }: EventPlace): boolean {
    return at < this.clock.now() - RETENTION_MS;
  }
}

/** Reads what `encodePlace` has written. */
function toPlace(present: EventPlace, at: number, values: string[]): EventPlace {
  const [after, until, untilAt, sessionId, position, id] = values;
  if (isSessionPlace(present)) return { ...present, after: Number(after), at };
  const last = { sessionId: sessionId!, position: Number(position), id: id! };
  const page = until === undefined ? null : { until, untilAt: Number(untilAt), last };
  return { accountId: present.accountId, after: after!, at, page };
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
function getListName(place: EventPlace): string {
  return isSessionPlace(place) ? `session-events:${place.sessionId}` : `events:${place.accountId}`;
}

/** @returns 410 `stream_expired` */
export function streamExpiredError(lastEventId: string, reason = 'are no longer available'): ApiError {
  const detail = `The events after this id ${reason}. List the records, and open a new stream without it.`;
  return new ApiError('stream_expired', detail, { members: { lastEventId } });
}
