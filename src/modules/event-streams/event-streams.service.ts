import { Injectable } from '@nestjs/common';
import type { DeltaKind } from '@external-api/protocol';
import type { Request, Response } from 'express';
import { insufficientScope, type Principal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { notFoundError } from '../../common/errors';
import { isWellFormedId } from '../../common/ids';
import type { EventType } from '../../core/events';
import { requireStreamAccess, toEventRecipient } from '../event-access';
import { DeltaFeedService } from './delta-feed.service';
import type { ContentEncoding } from './event-content.service';
import { EventCursorService, isSessionPlace, streamExpiredError, type EventPlace } from './event-cursor.service';
import { EventFeedService } from './event-feed.service';
import { EventLogRepository, MAX_MISSED_EVENTS } from './event-log.repository';
import { EventStream, type StreamSource } from './event-stream';
import { formatEvent } from './open-stream';
import { StreamOpeningService } from './stream-opening.service';

export interface OpenStreamRequest {
  /** null for the events of the account */
  sessionId: string | null;
  types: readonly EventType[] | null;
  /** null for events without content */
  contentEncoding: ContentEncoding | null;
  /** Kinds of deltas, for a stream with content. */
  deltaKinds: readonly DeltaKind[];
  /** Cursor from which the stream resumes; null: from now. */
  lastEventId: string | null;
}

/** Opens event streams (docs/protocol/event-streams.md). */
@Injectable()
export class EventStreamsService {
  constructor(
    private readonly streamOpeningService: StreamOpeningService,
    private readonly feed: EventFeedService,
    private readonly deltaFeedService: DeltaFeedService,
    private readonly eventLog: EventLogRepository,
    private readonly eventCursors: EventCursorService,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends the head of the response and `stream.opened`, and then events until the stream ends.
   * @throws ApiError 400 `invalid_cursor`, 403 for a type or content that the caller may not see, 404 for an unknown
   *   session, 410 `stream_expired`, 429 `too_many_streams`, 503 while the instance drains
   */
  async openStream(
    caller: Principal,
    { sessionId, types, contentEncoding, deltaKinds, lastEventId }: OpenStreamRequest,
    request: Request,
    response: Response,
  ): Promise<void> {
    const recipient = toEventRecipient(caller);
    requireStreamAccess(recipient, types ?? []);
    if (contentEncoding && !recipient.scopes.includes('sessions:content')) {
      throw insufficientScope(['sessions:content'], ['sessions:read', 'sessions:content']);
    }
    this.streamOpeningService.requireCapacity(caller);
    const { place, generation } = await this.findPlace({ accountId: caller.accountId, sessionId }, lastEventId);
    if (response.destroyed) return;
    const stream = new EventStream(response, {
      ...this.streamOpeningService.createOptions(caller, request),
      sessionId,
      types: types && new Set(types),
      contentEncoding,
      deltaKinds,
      place,
      generation,
      isBehind: lastEventId !== null,
    });
    if (!this.streamOpeningService.startStream(stream, request, response)) return;
    stream.write(this.renderOpening(place, generation));
    this.feed.addStream(stream);
    await this.deltaFeedService.addStream(stream);
  }

  /** @throws ApiError 404, 400 `invalid_cursor`, 410 `stream_expired` */
  private async findPlace(
    source: StreamSource,
    lastEventId: string | null,
  ): Promise<{ place: EventPlace; generation: string }> {
    const { accountId, sessionId } = source;
    if (sessionId !== null && !isWellFormedId('ses', sessionId)) throw notFoundError('session');
    const { snapshot, at, position, generation } = await this.eventLog.findPresent(accountId, sessionId);
    if (sessionId !== null && position === null) throw notFoundError('session');
    const present: EventPlace =
      sessionId === null
        ? { accountId, after: snapshot, at, page: null }
        : { accountId, sessionId, after: position!, at };
    if (lastEventId === null) return { place: present, generation };
    const place = this.eventCursors.decodePlace(lastEventId, present, generation);
    if (!isSessionPlace(place) && (await this.eventLog.hasMissedTooMany(place))) {
      throw streamExpiredError(lastEventId, `are more than ${MAX_MISSED_EVENTS}`);
    }
    return { place, generation };
  }

  private renderOpening(place: EventPlace, generation: string): string {
    const data = { id: null, type: 'stream.opened', timestamp: this.clock.now(), data: {} };
    return formatEvent(this.eventCursors.encodePlace(place, generation), data.type, JSON.stringify(data));
  }
}
