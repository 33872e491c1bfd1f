import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../auth';
import { bare, idExample, Operation } from '../../common/http';
import { IdempotencyKey } from '../../idempotency';
import { RelayBucket } from '../../rate-limit';
import { callContext } from './call-context';
import { InvokeDto, SendMessageDto } from './relay.dto';
import type { RelayOrder } from './relay-order';
import { RelayOrders } from './relay-orders';
import { RelayReply } from './relay-reply.dto';
import { RelayService } from './relay.service';

/** As the reference device answers (relay.md, Request). */
const INVOKE_RESULT = {
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

/** The two calls that go to a device and wait for its answer (relay.md). */
@Controller('external/v1')
export class RelayController {
  constructor(
    private readonly orders: RelayOrders,
    private readonly relay: RelayService,
  ) {}

  @Post('sessions/:id/messages')
  @HttpCode(200)
  @RelayBucket()
  @RequireScopes('sessions:write')
  @Operation({
    id: 'sendMessage',
    tag: 'Sessions',
    summary: 'Send a message into a session',
    description:
      "Relayed to the session's host device, else the device of its machine, else the account device that connected " +
      'last and serves messages; blocks for up to 30 seconds. The message is delivered at most once: every error says ' +
      'in `outcome` what is known of the call.',
    answer: bare(RelayReply),
    returns: "The device's reply.",
    errors: ['session_not_active'],
    examples: {
      request: { content: 'Please also update the changelog.' },
      answer: { result: { accepted: true, messageId: idExample('msg') } },
    },
  })
  sendMessage(
    @CurrentToken() caller: TokenPrincipal,
    @Param('id') sessionId: string,
    @Body() body: SendMessageDto,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RelayReply> {
    const context = callContext(request, response, key);
    return this.run(this.orders.message(caller, sessionId, body, context), response);
  }

  @Post('machines/:id/invoke')
  @HttpCode(200)
  @RelayBucket()
  @RequireScopes('machines:invoke')
  @Operation({
    id: 'invokeMachine',
    tag: 'Machines',
    summary: 'Run a command on a machine',
    description:
      'Relayed to the device that registered the machine; blocks for up to 30 seconds. The command runs at most once: ' +
      'every error says in `outcome` what is known of the call. It is run with its argument vector, never through a ' +
      'shell. An exit code other than 0 is still a 200. For personal access tokens only.',
    answer: bare(RelayReply),
    returns: "The command's end, as the device reports it.",
    examples: {
      request: { command: 'git', args: ['status', '--short'], cwd: '/srv/app', timeoutMs: 10_000 },
      answer: { result: INVOKE_RESULT },
    },
  })
  invoke(
    @CurrentToken() caller: TokenPrincipal,
    @Param('id') machineId: string,
    @Body() body: InvokeDto,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RelayReply> {
    const context = callContext(request, response, key);
    return this.run(this.orders.invoke(caller, machineId, body, context), response);
  }

  private async run(order: RelayOrder, response: Response): Promise<RelayReply> {
    response.setHeader('Cache-Control', 'no-store');
    const { reply, replayed } = await this.relay.run(order);
    if (replayed) response.setHeader('Idempotency-Replayed', 'true');
    return reply;
  }
}
