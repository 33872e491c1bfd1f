import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ControlController, CurrentCaller, RequireScopes, type Principal } from '../../access/auth';
import { createDisconnectSignal, listResponse, Operation, singleResponse } from '../../common/http';
import { ChangeQueryDto } from '../../core/waits';
import { InvocationDto } from './invocation.response.dto';
import { ListInvocationsQueryDto } from './invocations.dto';
import { InvocationsService } from './invocations.service';

/** Invocation routes of the External API (docs/protocol/invocations.md). */
@Controller('external/v1/machines/:id/invocations')
export class InvocationsController {
  constructor(private readonly invocations: InvocationsService) {}

  @Get()
  @RequireScopes('machines:invoke')
  @Operation({
    id: 'listInvocations',
    tag: 'Machines',
    summary: 'List the invocations of a machine',
    description:
      'Lists the commands that were started as invocations in the last 30 days, newest first. The list never ' +
      'contains a command or its output. Requires a personal access token.',
    response: listResponse(InvocationDto),
    responseDescription: 'A page of invocations.',
  })
  listInvocations(
    @CurrentCaller() caller: Principal,
    @Param('id') machineId: string,
    @Query() query: ListInvocationsQueryDto,
  ) {
    return this.invocations.listInvocations(caller, machineId, query);
  }

  @Get(':invocationId')
  @RequireScopes('machines:invoke')
  @Operation({
    id: 'getInvocation',
    tag: 'Machines',
    summary: 'Get an invocation, or wait for it',
    description:
      'Returns one invocation. With `waitMs`, a call for an invocation that has not ended waits until it changes, at ' +
      'most for that time, and then returns the invocation in any case. With `afterVersion` it waits until `version` ' +
      'is greater. Without it, a lost invocation answers at once. Requires a personal access token.',
    response: singleResponse(InvocationDto),
    responseDescription: 'The invocation.',
    errorCodes: ['too_many_waits'],
  })
  async getInvocation(
    @CurrentCaller() caller: Principal,
    @Param('id') machineId: string,
    @Param('invocationId') invocationId: string,
    @Query() query: ChangeQueryDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const disconnectSignal = createDisconnectSignal(response);
    return { data: await this.invocations.getInvocation(caller, machineId, invocationId, query, disconnectSignal) };
  }
}

/** The same routes for account devices. */
@ControlController('machines/:id/invocations')
export class ControlInvocationsController extends InvocationsController {}
