import { Body, Controller, Get, HttpCode, Param, Patch, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ControlController, CurrentCaller, RequirePatScopes, type Principal } from '../../../access/auth';
import { RateLimit } from '../../../access/rate-limiting';
import { ChangesData } from '../../../access/read-only';
import { Operation, unwrappedResponse } from '../../../common/http';
import { createCallContext, sendRelayReply, writeRelayReply } from './call-context';
import type { SuccessfulReply } from './call-reply';
import { RelayReplyDto } from './relay-reply.dto';
import { createChangeOptionsRequest, createReadOptionsRequest } from './relay-request';
import { RelayService } from './relay.service';
import { ChangeOptionsDto } from './session-options.dto';

const OPTIONS_EXAMPLE = {
  options: [
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      value: 'opus',
      values: [
        { value: 'opus', name: 'Opus' },
        { value: 'haiku', name: 'Haiku' },
      ],
    },
  ],
  commands: [{ name: 'compact', description: 'Summarizes the conversation' }],
};

/** What the agent of a session offers to choose (docs/protocol/agents.md#options-of-a-session). */
@Controller('external/v1/sessions/:id/options')
export class SessionOptionsController {
  constructor(private readonly relayService: RelayService) {}

  @Get()
  @ChangesData()
  @RateLimit('relay', 'account')
  @RequirePatScopes('sessions:read')
  @Operation({
    id: 'readSessionOptions',
    tag: 'Sessions',
    summary: 'Read the options of a session',
    description:
      "Asks the session's host device, else the device of its machine, for what the agent has announced last: its " +
      'options with the values of the next turn, such as model, effort and mode, and the commands that it ' +
      'understands at the beginning of a message. Requires a personal access token.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription: 'Options and commands of the agent.',
    errorCodes: ['session_not_active', 'plan_limit_exceeded'],
    examples: { response: { result: OPTIONS_EXAMPLE } },
  })
  async readOptions(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Res() response: Response,
  ): Promise<void> {
    const context = createCallContext(caller, {}, null, response);
    const read = createReadOptionsRequest(context, sessionId);
    await writeRelayReply(response, this.relayService.runCall(context, read));
  }

  @Patch()
  @HttpCode(200)
  @RateLimit('relay', 'account')
  @RequirePatScopes('sessions:write')
  @Operation({
    id: 'changeSessionOptions',
    tag: 'Sessions',
    summary: 'Change options of a session',
    description:
      'Chooses values of options for the next turn, and returns what the agent offers then. All of them are chosen, ' +
      'or none. A mode, or a value of an unknown kind of option, with which the agent decides by itself also ' +
      'requires the scope `machines:invoke`, and the owner of the machine may forbid it. The call can be repeated: ' +
      'it has the same effect. Requires a personal access token.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription: 'Options and commands of the agent.',
    errorCodes: ['session_not_active', 'plan_limit_exceeded'],
    examples: { request: { model: 'opus' }, response: { result: OPTIONS_EXAMPLE } },
  })
  changeOptions(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Body() body: ChangeOptionsDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuccessfulReply['body']> {
    const context = createCallContext(caller, body, null, response);
    const change = createChangeOptionsRequest(context, sessionId, body);
    return sendRelayReply(response, this.relayService.runCall(context, change));
  }
}

/** The same routes for account devices. */
@ControlController('sessions/:id/options')
export class ControlSessionOptionsController extends SessionOptionsController {}
