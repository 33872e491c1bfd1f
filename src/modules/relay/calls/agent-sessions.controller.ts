import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ControlController, CurrentCaller, RequireScopes, type Principal } from '../../../access/auth';
import { RateLimit } from '../../../access/rate-limiting';
import { ChangesData } from '../../../access/read-only';
import { buildIdExample, Operation, unwrappedResponse } from '../../../common/http';
import { ListAgentSessionsQueryDto, toListAgentSessionsParams } from './agent-sessions.dto';
import { createCallContext, writeRelayReply } from './call-context';
import { RelayReplyDto } from './relay-reply.dto';
import { createListAgentSessionsRequest } from './relay-request';
import { RelayService } from './relay.service';

const SESSION_EXAMPLE = {
  agent: 'opencode',
  agentSessionId: '6f1d2c9e-8a41-4c0b-9a53-b7e0c1f5d2aa',
  title: 'Fix the failing test',
  cwd: '/srv/app',
  updatedAt: '2026-11-28T09:12:44.000Z',
  sessionId: buildIdExample('ses'),
  canFork: true,
};

/** Lists what the agents of a machine have (docs/protocol/agents.md#sessions-of-the-terminal). */
@Controller('external/v1/machines/:id/agent-sessions')
export class AgentSessionsController {
  constructor(private readonly relayService: RelayService) {}

  @Get()
  @ChangesData()
  @RateLimit('relay', 'account')
  @RequireScopes('machines:invoke')
  @Operation({
    id: 'listAgentSessions',
    tag: 'Machines',
    summary: 'List the sessions of a machine’s agents',
    description:
      'Asks the agents of the machine for their own sessions, also those that a person has begun at the terminal: ' +
      '`resume` of `startSession` continues one. `sessionId` names a session that continues it already. Sessions in ' +
      'folders that the machine does not allow are left out. Titles only pass through the service, which stores ' +
      'none. Continue with `nextCursor` until it is null; a page may be empty before. If no `agent` is named, ' +
      '`problems` says which agents could not be asked, and why. Requires a personal access token.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription: 'Sessions, each agent’s in its own order.',
    errorCodes: ['plan_limit_exceeded'],
    examples: { response: { result: { sessions: [SESSION_EXAMPLE], nextCursor: null, problems: [] } } },
  })
  async listAgentSessions(
    @CurrentCaller() caller: Principal,
    @Param('id') machineId: string,
    @Query() query: ListAgentSessionsQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    const context = createCallContext(caller, {}, null, response);
    const list = createListAgentSessionsRequest(context, machineId, toListAgentSessionsParams(query));
    await writeRelayReply(response, this.relayService.runCall(context, list));
  }
}

/** The same route for account devices. */
@ControlController('machines/:id/agent-sessions')
export class ControlAgentSessionsController extends AgentSessionsController {}
