import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ControlController, CurrentCaller, RequireScopes, type Principal } from '../../../access/auth';
import { unwrappedResponse, buildIdExample, Operation } from '../../../common/http';
import { IdempotencyKey } from '../../../access/idempotency';
import { RateLimit } from '../../../access/rate-limiting';
import { QueueMessageService, type MessageText } from '../../queued-messages';
import { AttachmentsService } from './attachments.service';
import { createCallContext, sendRelayReply, type CallContext } from './call-context';
import { MessageTextService } from './message-text.service';
import { queueRelayedMessage } from '../queue/queue-relayed-message';
import { InvokeDto, SendMessageDto } from './relay.dto';
import type { SuccessfulReply } from './call-reply';
import { RelayReplyDto } from './relay-reply.dto';
import { createInvokeRequest, createMessageRequest } from './relay-request';
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

const TURN_EXAMPLE = { id: buildIdExample('turn'), state: 'completed', stopReason: 'end_turn' };

/** Messages and commands, which go to a device and wait for its answer (docs/protocol/relay.md). */
@Controller('external/v1')
export class RelayController {
  constructor(
    private readonly relayService: RelayService,
    private readonly queueMessageService: QueueMessageService,
    private readonly messageTextService: MessageTextService,
    private readonly attachmentsService: AttachmentsService,
  ) {}

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
      'device that connected last and serves messages. A message begins a turn: everything that the agent does until ' +
      'it stops. The request blocks until the turn ends or requires a decision, for `waitMs` at most, or 30 seconds ' +
      'if the device does not answer. The turn goes on after that. The message is delivered at most once: `outcome` ' +
      'in each error says whether it may have been delivered. With `delivery`, the service stores the message and ' +
      'delivers it when the host device of the session is online: the response is 202. A caller with the data key of ' +
      'the session can send `sealedContent` and `localId` instead of `content`, which the service cannot read. ' +
      '`attachments` are files for the agent; a device that can not pass one on answers 502 `device_error` with ' +
      '`deviceError.code` `attachment_unsupported`.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription: "The device's reply.",
    acceptedResponse: {
      description: 'The message is queued.',
      example: { result: { queued: true, queuedMessageId: buildIdExample('qmsg') } },
    },
    errorCodes: ['session_not_active', 'session_busy', 'steer_unsupported', 'plan_limit_exceeded'],
    examples: {
      request: { content: 'Please also update the changelog.' },
      response: { result: { accepted: true, messageId: buildIdExample('msg'), reply: 'Done.', turn: TURN_EXAMPLE } },
    },
  })
  sendMessage(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Body() body: SendMessageDto,
    @IdempotencyKey() key: string | null,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuccessfulReply['body']> {
    const context = createCallContext(caller, body, key, response);
    return sendRelayReply(response, this.sendOrQueueMessage(context, sessionId, body));
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
    errorCodes: ['plan_limit_exceeded'],
    examples: {
      request: { command: 'git', args: ['status', '--short'], cwd: '/srv/app', timeoutMs: 10_000 },
      response: { result: INVOKE_RESULT_EXAMPLE },
    },
  })
  invokeMachine(
    @CurrentCaller() caller: Principal,
    @Param('id') machineId: string,
    @Body() body: InvokeDto,
    @IdempotencyKey() key: string | null,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuccessfulReply['body']> {
    const context = createCallContext(caller, body, key, response);
    return sendRelayReply(response, this.relayService.runCall(context, createInvokeRequest(context, machineId, body)));
  }

  private async sendOrQueueMessage(context: CallContext, sessionId: string, body: SendMessageDto) {
    const { caller } = context;
    const words = this.messageTextService.readText(body);
    const target = { sessionId, sealedLocalId: 'localId' in words ? words.localId : null };
    const text: MessageText = { ...words, ...this.attachmentsService.readAttachments(body.attachments, target) };
    const checkText = async () => {
      await this.messageTextService.checkText(caller.accountId, sessionId, text);
      await this.attachmentsService.checkAttachments(caller, text, target);
    };
    if (body.delivery) return queueRelayedMessage(this.queueMessageService, context, sessionId, body, text, checkText);
    return this.relayService.runCall(context, createMessageRequest(context, sessionId, text, body), checkText);
  }
}

/** The same routes for account devices. */
@ControlController('')
export class ControlRelayController extends RelayController {}
