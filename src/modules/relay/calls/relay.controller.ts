import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../../access/auth';
import { unwrappedResponse, buildIdExample, Operation } from '../../../common/http';
import { readTraceparent } from '../../../common/trace-context';
import { IdempotencyKey, resolveOperationPath } from '../../../access/idempotency';
import { RateLimit } from '../../../access/rate-limiting';
import { InvokeDto, SendMessageDto } from './relay.dto';
import { RelayReplyDto } from './relay-reply.dto';
import { createInvokeRequest, createMessageRequest, type CallContext, type UnsentRequest } from './relay-request';
import { RelayService } from './relay.service';

/** An answer of the reference device (docs/protocol/relay.md#request). */
const INVOKE_RESULT_EXAMPLE = {
  exitCode: 0,
  signal: null,
  stdout: ' M README.md\n',
  stderr: '',
  stdoutTruncated: false,
  stderrTruncated: false,
  stdoutBytes: 13,
  stderrBytes: 0,
  timedOut: false,
  durationMs: 24,
};

/** The two calls that go to a device and wait for its answer (docs/protocol/relay.md). */
@Controller('external/v1')
export class RelayController {
  constructor(private readonly relayService: RelayService) {}

  @Post('sessions/:id/messages')
  @HttpCode(200)
  @RateLimit('relay', 'account')
  @RequireScopes('sessions:write')
  @Operation({
    id: 'sendMessage',
    tag: 'Sessions',
    summary: 'Send a message into a session',
    description:
      "Relays the message to the session's host device, else to the device of its machine, else to the account " +
      'device that connected last and serves messages. The request blocks for up to 30 seconds. The message is ' +
      'delivered at most once: `outcome` in each error says whether it may have been delivered.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription: "The device's reply.",
    errorCodes: ['session_not_active'],
    examples: {
      request: { content: 'Please also update the changelog.' },
      response: { result: { accepted: true, messageId: buildIdExample('msg') } },
    },
  })
  sendMessage(
    @CurrentToken() caller: TokenPrincipal,
    @Param('id') sessionId: string,
    @Body() body: SendMessageDto,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RelayReplyDto> {
    const context = createCallContext(caller, body, key, request, response);
    return this.runCall(context, createMessageRequest(context, sessionId, body), response);
  }

  @Post('machines/:id/invoke')
  @HttpCode(200)
  @RateLimit('relay', 'account')
  @RequireScopes('machines:invoke')
  @Operation({
    id: 'invokeMachine',
    tag: 'Machines',
    summary: 'Run a command on a machine',
    description:
      'Relays the command to the device that registered the machine. The request blocks for up to 30 seconds. The ' +
      'command runs at most once: `outcome` in each error says whether it may have run. The device runs the command ' +
      'with its arguments, never through a shell. The response is also 200 if the exit code is not 0. Requires a ' +
      'personal access token.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription: "The command's result, as reported by the device.",
    examples: {
      request: { command: 'git', args: ['status', '--short'], cwd: '/srv/app', timeoutMs: 10_000 },
      response: { result: INVOKE_RESULT_EXAMPLE },
    },
  })
  invokeMachine(
    @CurrentToken() caller: TokenPrincipal,
    @Param('id') machineId: string,
    @Body() body: InvokeDto,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RelayReplyDto> {
    const context = createCallContext(caller, body, key, request, response);
    return this.runCall(context, createInvokeRequest(context, machineId, body), response);
  }

  private async runCall(context: CallContext, request: UnsentRequest, response: Response): Promise<RelayReplyDto> {
    response.setHeader('Cache-Control', 'no-store');
    const { reply, replayed } = await this.relayService.runCall(context, request);
    if (replayed) response.setHeader('Idempotency-Replayed', 'true');
    return reply;
  }
}

function createCallContext(
  caller: TokenPrincipal,
  body: object,
  idempotencyKey: string | null,
  request: Request,
  response: Response,
): CallContext {
  const disconnectController = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) disconnectController.abort();
  });
  // The connection may have closed already, while the guards ran.
  if (response.destroyed) disconnectController.abort();
  const traceparent = readTraceparent(request.headers);
  return {
    caller,
    requestId: request.id,
    path: resolveOperationPath(request),
    idempotencyKey,
    body,
    disconnectSignal: disconnectController.signal,
    ...(traceparent !== undefined && { traceparent }),
  };
}
