import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ControlController, CurrentCaller, RequireScopes, type Principal } from '../../access/auth';
import { createDisconnectSignal, Operation, listResponse, singleResponse } from '../../common/http';
import { ChangeQueryDto } from '../../core/waits';
import { TurnDto } from './turn.response.dto';
import { ListTurnsQueryDto } from './turns.dto';
import { TurnsService } from './turns.service';

/** Turn routes of the External API (docs/protocol/external-api.md#endpoints). */
@Controller('external/v1/sessions/:id/turns')
export class TurnsController {
  constructor(private readonly turns: TurnsService) {}

  @Get()
  @RequireScopes('sessions:read')
  @Operation({
    id: 'listTurns',
    tag: 'Sessions',
    summary: 'List the turns of a session',
    description: 'Lists the turns of the agent in a session, newest first.',
    response: listResponse(TurnDto),
    responseDescription: 'A page of turns.',
  })
  listTurns(@CurrentCaller() caller: Principal, @Param('id') sessionId: string, @Query() query: ListTurnsQueryDto) {
    return this.turns.listTurns(caller, sessionId, query);
  }

  @Get(':turnId')
  @RequireScopes('sessions:read')
  @Operation({
    id: 'getTurn',
    tag: 'Sessions',
    summary: 'Get a turn, or wait for it',
    description:
      'Returns one turn. With `waitMs`, a call for a turn that has not ended waits until it changes, at most for ' +
      'that time, and then returns the turn in any case. With `afterVersion` it waits until `version` is greater. ' +
      'Without it, a turn that requires action or is lost answers at once. A turn that a response has named is ' +
      'found at once, on every instance.',
    response: singleResponse(TurnDto),
    responseDescription: 'The turn.',
    errorCodes: ['too_many_waits'],
  })
  async getTurn(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Param('turnId') turnId: string,
    @Query() query: ChangeQueryDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    return { data: await this.turns.getTurn(caller, sessionId, turnId, query, createDisconnectSignal(response)) };
  }
}

/** The same routes for account devices. */
@ControlController('sessions/:id/turns')
export class ControlTurnsController extends TurnsController {}
