import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../auth';
import { Operation, page } from '../common/http';
import { MessageRecord } from './message-record';
import { MessageQuery } from './messages.dto';
import { MessagesService } from './messages.service';

/** Message metadata as the External API shows it (external-api.md §3). */
@Controller('external/v1/sessions/:id/messages')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  @Get()
  @RequireScopes('sessions:read')
  @Operation({
    id: 'listMessages',
    tag: 'Sessions',
    summary: 'List the messages of a session',
    description: 'Metadata of its messages by `seq`, newest first. Content is never in it.',
    answer: page(MessageRecord),
    returns: 'A page of messages.',
  })
  list(@CurrentToken() token: TokenPrincipal, @Param('id') sessionId: string, @Query() query: MessageQuery) {
    return this.messages.list(token, sessionId, query);
  }
}
