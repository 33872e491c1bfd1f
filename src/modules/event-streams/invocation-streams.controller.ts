import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ControlController, CurrentCaller, RequireScopes, type Principal } from '../../access/auth';
import { eventStreamResponse, Operation, Produces } from '../../common/http';
import { InvocationsService } from '../invocations';
import { InvocationStream } from './invocation-stream';
import { InvocationFeedService } from './invocation-feed.service';
import { StreamOpeningService } from './stream-opening.service';

const OUTPUT_EVENT_EXAMPLE =
  'event: output\n' +
  'data: {"invocationId":"inv_01m7xsah51f6ctt8c84t8wbh7e","stream":"stdout","offset":0,"data":"MTIgcGFzc2VkLgo="}\n\n';

/** Stream of the output of an invocation (docs/protocol/invocations.md#live-output). */
@Controller('external/v1/machines/:id/invocations/:invocationId/events')
export class InvocationStreamsController {
  constructor(
    private readonly invocations: InvocationsService,
    private readonly streamOpeningService: StreamOpeningService,
    private readonly invocationFeedService: InvocationFeedService,
  ) {}

  @Get()
  @RequireScopes('machines:invoke')
  @Produces('text/event-stream')
  @Operation({
    id: 'streamInvocationEvents',
    tag: 'Machines',
    summary: 'Stream the output of an invocation',
    description:
      'Sends what the command writes as server-sent events of the type `output`, from now on, and `invocation.ended` ' +
      'as the last event. The first event is `stream.opened` with the invocation. Nothing is stored: events have no ' +
      'id, a stream does not resume, and what is dropped shows as a jump of `offset`. Read it with ' +
      '`readInvocationOutput`. Requires a personal access token.',
    response: eventStreamResponse('invocation'),
    responseDescription: 'Output, until the invocation ends, and for 15 minutes at most.',
    errorCodes: ['too_many_streams'],
    examples: { events: OUTPUT_EVENT_EXAMPLE },
  })
  async streamInvocationEvents(
    @CurrentCaller() caller: Principal,
    @Param('id') machineId: string,
    @Param('invocationId') invocationId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    this.streamOpeningService.requireCapacity(caller);
    const row = await this.invocations.requireInvocation(caller.accountId, machineId, invocationId);
    if (response.destroyed) return;
    const options = this.streamOpeningService.createOptions(caller, request);
    const stream = new InvocationStream(response, machineId, invocationId, options);
    if (this.streamOpeningService.startStream(stream, request, response))
      this.invocationFeedService.addStream(stream, row);
  }
}

/** The same route for account devices. */
@ControlController('machines/:id/invocations/:invocationId/events')
export class ControlInvocationStreamsController extends InvocationStreamsController {}
