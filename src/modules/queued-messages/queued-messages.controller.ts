import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ControlController, CurrentCaller, RequireScopes, type Principal } from '../../access/auth';
import { listResponse, noContentResponse, Operation } from '../../common/http';
import { QueuedMessageDto } from './queued-message.response.dto';
import { ListQueuedMessagesQueryDto } from './queued-messages.dto';
import { QueuedMessagesService } from './queued-messages.service';

/** Queued message routes of the External API (docs/protocol/external-api.md#queued-messages). */
@Controller('external/v1/sessions/:id/queued-messages')
export class QueuedMessagesController {
  constructor(private readonly queuedMessages: QueuedMessagesService) {}

  @Get()
  @RequireScopes('sessions:read')
  @Operation({
    id: 'listQueuedMessages',
    tag: 'Sessions',
    summary: 'List the queued messages of a session',
    description:
      'Lists the messages that wait for delivery, and those that ended in the last 30 days, newest first. The list ' +
      'never contains content.',
    response: listResponse(QueuedMessageDto),
    responseDescription: 'A page of queued messages.',
  })
  listQueuedMessages(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Query() query: ListQueuedMessagesQueryDto,
  ) {
    return this.queuedMessages.listQueuedMessages(caller, sessionId, query);
  }

  @Delete(':queuedMessageId')
  @HttpCode(204)
  @RequireScopes('sessions:write')
  @Operation({
    id: 'cancelQueuedMessage',
    tag: 'Sessions',
    summary: 'Cancel a queued message',
    description:
      'Cancels a message that waits for delivery, and deletes its text. A message that is being sent, or that has ' +
      'ended in another way, is 409 `conflict`.',
    response: noContentResponse,
    responseDescription: 'The message is cancelled.',
    errorCodes: ['conflict'],
  })
  cancelQueuedMessage(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Param('queuedMessageId') queuedMessageId: string,
  ): Promise<void> {
    return this.queuedMessages.cancelQueuedMessage(caller, sessionId, queuedMessageId);
  }
}

/** The same routes for account devices. */
@ControlController('sessions/:id/queued-messages')
export class ControlQueuedMessagesController extends QueuedMessagesController {}
