import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../auth';
import { one, Operation, page } from '../common/http';
import { SessionRecord } from './session-record';
import { SessionQuery } from './sessions.dto';
import { SessionsService } from './sessions.service';

/** Sessions as the External API shows them (external-api.md §3). */
@Controller('external/v1/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @RequireScopes('sessions:read')
  @Operation({
    id: 'listSessions',
    tag: 'Sessions',
    summary: 'List sessions',
    description: "The account's sessions, newest first.",
    answer: page(SessionRecord),
    returns: 'A page of sessions.',
  })
  list(@CurrentToken() token: TokenPrincipal, @Query() query: SessionQuery) {
    return this.sessions.list(token, query);
  }

  @Get(':id')
  @RequireScopes('sessions:read')
  @Operation({
    id: 'getSession',
    tag: 'Sessions',
    summary: 'Get a session',
    description: 'One session of the account.',
    answer: one(SessionRecord),
    returns: 'The session.',
  })
  async get(@CurrentToken() token: TokenPrincipal, @Param('id') id: string) {
    return { data: await this.sessions.get(token, id) };
  }
}
