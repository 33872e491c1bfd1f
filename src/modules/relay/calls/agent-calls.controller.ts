import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { IdempotencyKey } from '../../../access/idempotency';
import {
  ControlController,
  CurrentCaller,
  RequirePatScopes,
  RequireScopes,
  type Principal,
} from '../../../access/auth';
import { RateLimit } from '../../../access/rate-limiting';
import { buildIdExample, Operation, unwrappedResponse } from '../../../common/http';
import { RELAY_ERROR_CODES } from '../relay.errors';
import { AttachmentsService } from './attachments.service';
import { createCallContext, sendRelayReply, type CallContext } from './call-context';
import type { SuccessfulReply } from './call-reply';
import { RelayReplyDto } from './relay-reply.dto';
import { StartSessionDto } from './relay.dto';
import { createCancelTurnRequest, createEndSessionRequest, createStartSessionRequest } from './relay-request';
import { RelayService } from './relay.service';
import { StartGrantsService } from './start-grants.service';

/** Calls that control the agents of a device (docs/protocol/agents.md). */
@Controller('external/v1')
export class AgentCallsController {
  constructor(
    private readonly relayService: RelayService,
    private readonly startGrants: StartGrantsService,
    private readonly attachmentsService: AttachmentsService,
  ) {}

  @Post('sessions/:id/turns/:turnId/cancel')
  @HttpCode(200)
  @RateLimit('metadata', 'account')
  @RequireScopes('sessions:write')
  @Operation({
    id: 'cancelTurn',
    tag: 'Sessions',
    summary: 'Cancel a turn',
    description:
      'Asks the device of the turn to stop it, and returns the state of the turn afterwards. A queued turn never ' +
      'starts. An agent that does not stop within ten seconds is killed. If the turn has already ended, the response ' +
      'has its state, and no device is asked.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription: 'The state of the turn.',
    errorCodes: RELAY_ERROR_CODES,
    examples: { response: { result: { state: 'cancelled' } } },
  })
  cancelTurn(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Param('turnId') turnId: string,
    @IdempotencyKey() key: string | null,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuccessfulReply['body']> {
    const context = createCallContext(caller, {}, key, response);
    const cancellation = createCancelTurnRequest(context, sessionId, turnId);
    return sendRelayReply(response, this.relayService.runCall(context, cancellation));
  }

  @Post('machines/:id/sessions')
  @HttpCode(200)
  @RateLimit('relay', 'account')
  @RequireScopes('machines:invoke')
  @Operation({
    id: 'startSession',
    tag: 'Machines',
    summary: 'Start a session on a machine',
    description:
      'Asks the device of the machine to start an agent in a new session. With `content`, the session begins with ' +
      'this message, and the request waits for its turn as for a message. Without it, the request waits until the ' +
      'agent is ready: after `waitMs`, the response has the `agentState` `starting`, the agent goes on starting, and ' +
      'the first message waits for it. A machine that runs as many agents as it may is 429 `device_busy`; a first ' +
      'message is `queued` instead. The session is started at most once: ' +
      '`outcome` in each error says whether it may have been started. With `grant`, the calling token can read the ' +
      'session, which also requires the scope `sessions:content`. Requires a personal access token.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription:
      'The id of the session, and the turn of the first message or null. Without `content` also `agentState`, which ' +
      'is `ready` or `starting`. With `grant`, also the key grant, or null and the reason.',
    errorCodes: ['plan_limit_exceeded'],
    examples: {
      request: { agent: 'opencode', cwd: '/srv/app', content: 'Please fix the failing test.', waitMs: 0 },
      response: {
        result: {
          sessionId: buildIdExample('ses'),
          turn: { id: buildIdExample('turn'), state: 'running', stopReason: null },
        },
      },
    },
  })
  startSession(
    @CurrentCaller() caller: Principal,
    @Param('id') machineId: string,
    @Body() body: StartSessionDto,
    @IdempotencyKey() key: string | null,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuccessfulReply['body']> {
    const context = createCallContext(caller, body, key, response);
    return sendRelayReply(response, this.runStart(context, machineId, body));
  }

  @Post('sessions/:id/end')
  @HttpCode(200)
  @RateLimit('relay', 'account')
  @RequirePatScopes('sessions:write')
  @Operation({
    id: 'endSession',
    tag: 'Sessions',
    summary: 'End a session',
    description:
      'Asks the device of the session to stop its agent and to end it. Open turns become `cancelled`. If the session ' +
      'has ended already, no device is asked. Requires a personal access token.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription: 'The session has ended.',
    examples: { response: { result: { state: 'ended' } } },
  })
  endSession(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @IdempotencyKey() key: string | null,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuccessfulReply['body']> {
    const context = createCallContext(caller, {}, key, response);
    const end = createEndSessionRequest(context, sessionId);
    return sendRelayReply(response, this.relayService.runCall(context, end));
  }

  private async runStart(context: CallContext, machineId: string, body: StartSessionDto) {
    const { caller } = context;
    const grant = this.startGrants.createGrant(caller, body.grant);
    const target = { machineId, hasMessage: typeof body.content === 'string' };
    const attached = this.attachmentsService.readAttachments(body.attachments, target);
    const start = createStartSessionRequest(context, machineId, body, { ...grant, ...attached });
    return this.relayService.runCall(context, start, () =>
      this.attachmentsService.checkAttachments(caller, attached, target),
    );
  }
}

/** The same routes for account devices. */
@ControlController('')
export class ControlAgentCallsController extends AgentCallsController {}
