import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../access/auth';
import { Operation, listResponse } from '../../common/http';
import { MessageDto } from './message.response.dto';
import { ListMessagesQueryDto } from './messages.dto';
import { MessagesService } from './messages.service';

/** Message routes of the External API (docs/protocol/external-api.md#endpoints). */
@Controller('external/v1/sessions/:id/messages')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  @Get()
  @RequireScopes('sessions:read')
  @Operation({
    id: 'listMessages',
    tag: 'Sessions',
    summary: 'List the messages of a session',
    description: 'Lists the metadata of messages by `seq`, newest first. The list never contains content.',
    response: listResponse(MessageDto),
    responseDescription: 'A page of messages.',
  })
  listMessages(
    @CurrentToken() token: TokenPrincipal,
    @Param('id') sessionId: string,
    @Query() query: ListMessagesQueryDto,
  ) {
    return this.messages.listMessages(token, sessionId, query);
  }
}
