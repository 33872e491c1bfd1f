import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { DeltaKind } from '@external-api/protocol';
import type { Request, Response } from 'express';
import { ControlController, CurrentCaller, RequireScopes, type Principal } from '../../access/auth';
import type { EventType } from '../../core/events';
import { invalidRequestError } from '../../common/errors';
import { eventStreamResponse, Operation, Produces } from '../../common/http';
import { StreamEventsQueryDto, StreamSessionEventsQueryDto } from './event-streams.dto';
import { EventStreamsService, type OpenStreamRequest } from './event-streams.service';

/** Stream of the account's events (docs/protocol/event-streams.md). It answers by itself (docs/decisions/0037). */
@Controller('external/v1/events')
export class EventsController {
  constructor(private readonly eventStreams: EventStreamsService) {}

  @Get()
  @RequireScopes()
  @Produces('text/event-stream')
  @Operation({
    id: 'streamEvents',
    tag: 'Events',
    summary: "Stream the account's events",
    description:
      'Sends the events of the account as server-sent events, in order per session. The first event is ' +
      '`stream.opened`. A client that reconnects with `Last-Event-ID` misses nothing and gets nothing twice. Events ' +
      'whose scope the caller lacks are left out; a type in `types` without its scope is 403.',
    response: eventStreamResponse('account'),
    responseDescription: 'Events, until the stream ends after 15 minutes at the latest.',
    errorCodes: ['insufficient_scope', 'invalid_cursor', 'stream_expired', 'too_many_streams'],
  })
  streamEvents(
    @CurrentCaller() caller: Principal,
    @Query() query: StreamEventsQueryDto,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    const openRequest = toOpenRequest({ sessionId: null, contentEncoding: null, deltaKinds: [] }, query, request);
    return this.eventStreams.openStream(caller, openRequest, request, response);
  }
}

/** Stream of a session's events. */
@Controller('external/v1/sessions/:id/events')
export class SessionEventsController {
  constructor(private readonly eventStreams: EventStreamsService) {}

  @Get()
  @RequireScopes('sessions:read')
  @Produces('text/event-stream')
  @Operation({
    id: 'streamSessionEvents',
    tag: 'Events',
    summary: "Stream a session's events",
    description:
      'Sends the events of the session, of its messages, turns, permission requests and queued messages as ' +
      'server-sent events, in order. `session.deleted` ends the stream. With `content`, events of messages and ' +
      'permission requests contain what a device has granted to this caller, and `delta` events show what the agent ' +
      'is writing and, with `deltas`, what else it is doing.',
    response: eventStreamResponse('session'),
    responseDescription: 'Events, until the stream ends after 15 minutes at the latest.',
    errorCodes: ['invalid_cursor', 'stream_expired', 'too_many_streams'],
  })
  streamSessionEvents(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Query() query: StreamSessionEventsQueryDto,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    const contentEncoding = query.content === 'none' ? null : (query.content ?? null);
    if (query.deltas !== undefined && contentEncoding === null) throw deltasWithoutContentError();
    const deltaKinds = (query.deltas ?? 'message').split(',') as DeltaKind[];
    const openRequest = toOpenRequest({ sessionId, contentEncoding, deltaKinds }, query, request);
    return this.eventStreams.openStream(caller, openRequest, request, response);
  }
}

/** The same routes for account devices. */
@ControlController('events')
export class ControlEventsController extends EventsController {}

@ControlController('sessions/:id/events')
export class ControlSessionEventsController extends SessionEventsController {}

const deltasWithoutContentError = () =>
  invalidRequestError([{ in: 'query', path: '/deltas', code: 'not_allowed', message: '/deltas requires content.' }]);

/** `EventSource` sends the header when it reconnects, to the same URL. */
function toOpenRequest(
  source: Pick<OpenStreamRequest, 'sessionId' | 'contentEncoding' | 'deltaKinds'>,
  { types, lastEventId }: StreamEventsQueryDto,
  request: Request,
): OpenStreamRequest {
  return {
    ...source,
    types: (types?.split(',') as EventType[] | undefined) ?? null,
    lastEventId: request.get('Last-Event-ID') || lastEventId || null,
  };
}
