import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ControlController, CurrentCaller, RequireScopes, type Principal } from '../../../access/auth';
import { IdempotencyKey } from '../../../access/idempotency';
import { RateLimit } from '../../../access/rate-limiting';
import { ChangesData } from '../../../access/read-only';
import { Operation, singleResponse, unwrappedResponse } from '../../../common/http';
import { InvocationDto } from '../../invocations';
import { RELAY_ERROR_CODES } from '../relay.errors';
import { createCallContext, sendRelayReply, writeRelayReply } from './call-context';
import type { SuccessfulReply } from './call-reply';
import { ReadOutputQueryDto, StartInvocationDto, toReadOutputParams } from './invocation-calls.dto';
import { RelayReplyDto } from './relay-reply.dto';
import { createCancelInvocationRequest, createReadOutputRequest, createStartInvocationRequest } from './relay-request';
import { RelayService } from './relay.service';

const OUTPUT_EXAMPLE = {
  stream: 'stdout',
  offset: 0,
  nextOffset: 12,
  totalBytes: 12,
  data: 'MTIgcGFzc2VkLgo=',
  eof: true,
};

/** Calls that start, cancel and read commands that run for up to an hour (docs/protocol/invocations.md). */
@Controller('external/v1/machines/:id/invocations')
export class InvocationCallsController {
  constructor(private readonly relayService: RelayService) {}

  @Post()
  @HttpCode(202)
  @RateLimit('relay', 'account')
  @RequireScopes('machines:invoke')
  @Operation({
    id: 'startInvocation',
    tag: 'Machines',
    summary: 'Start a command that may run for an hour',
    description:
      'Relays the command to the device that registered the machine, and returns once the device has started it. The ' +
      'command runs at most once: `outcome` in each error says whether it may run. The device runs the command with ' +
      'its arguments, never through a shell. The service stores neither the command nor its output. Requires a ' +
      'personal access token.',
    response: singleResponse(InvocationDto),
    responseDescription: 'The device has started the command.',
    errorCodes: ['plan_limit_exceeded'],
    examples: { request: { command: 'npm', args: ['test'], cwd: '/srv/app', timeoutMs: 1_800_000 } },
  })
  startInvocation(
    @CurrentCaller() caller: Principal,
    @Param('id') machineId: string,
    @Body() body: StartInvocationDto,
    @IdempotencyKey() key: string | null,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuccessfulReply['body']> {
    const context = createCallContext(caller, body, key, response);
    const start = createStartInvocationRequest(context, machineId, body);
    return sendRelayReply(response, this.relayService.runCall(context, start));
  }

  @Post(':invocationId/cancel')
  @HttpCode(200)
  @RateLimit('metadata', 'account')
  @RequireScopes('machines:invoke')
  @Operation({
    id: 'cancelInvocation',
    tag: 'Machines',
    summary: 'Cancel an invocation',
    description:
      'Asks the device to end the command with all processes of its group, and returns the state of the invocation ' +
      'afterwards. If the invocation has already ended, the response has its state, and no device is asked. Requires ' +
      'a personal access token.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription: 'The state of the invocation.',
    errorCodes: RELAY_ERROR_CODES,
    examples: { response: { result: { state: 'cancelled' } } },
  })
  cancelInvocation(
    @CurrentCaller() caller: Principal,
    @Param('id') machineId: string,
    @Param('invocationId') invocationId: string,
    @IdempotencyKey() key: string | null,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuccessfulReply['body']> {
    const context = createCallContext(caller, {}, key, response);
    const cancellation = createCancelInvocationRequest(context, machineId, invocationId);
    return sendRelayReply(response, this.relayService.runCall(context, cancellation));
  }

  @Get(':invocationId/output')
  @ChangesData()
  @RateLimit('relay', 'account')
  @RequireScopes('machines:invoke')
  @Operation({
    id: 'readInvocationOutput',
    tag: 'Machines',
    summary: 'Read the output of an invocation',
    description:
      'Reads bytes of a stream from the device, which keeps the last 4 MiB of each for 24 hours. `offset` counts ' +
      'everything that the command has written: bytes that the device no longer keeps are left out, so that the ' +
      'result may begin at a greater `offset`. Continue with `nextOffset` until `eof`. Requires a personal access ' +
      'token.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription: 'Output of the command, in base64.',
    errorCodes: ['plan_limit_exceeded'],
    examples: { response: { result: OUTPUT_EXAMPLE } },
  })
  async readOutput(
    @CurrentCaller() caller: Principal,
    @Param('id') machineId: string,
    @Param('invocationId') invocationId: string,
    @Query() query: ReadOutputQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    const context = createCallContext(caller, {}, null, response);
    const read = createReadOutputRequest(context, machineId, toReadOutputParams(invocationId, query));
    await writeRelayReply(response, this.relayService.runCall(context, read));
  }
}

/** The same routes for account devices. */
@ControlController('machines/:id/invocations')
export class ControlInvocationCallsController extends InvocationCallsController {}
