import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../access/auth';
import { singleResponse, Operation, listResponse } from '../../common/http';
import { SessionDto } from './session.response.dto';
import { ListSessionsQueryDto } from './sessions.dto';
import { SessionsService } from './sessions.service';

/** Session routes of the External API (docs/protocol/external-api.md#endpoints). */
@Controller('external/v1/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @RequireScopes('sessions:read')
  @Operation({
    id: 'listSessions',
    tag: 'Sessions',
    summary: 'List sessions',
    description: "Lists the account's sessions, newest first.",
    response: listResponse(SessionDto),
    responseDescription: 'A page of sessions.',
  })
  listSessions(@CurrentToken() token: TokenPrincipal, @Query() query: ListSessionsQueryDto) {
    return this.sessions.listSessions(token, query);
  }

  @Get(':id')
  @RequireScopes('sessions:read')
  @Operation({
    id: 'getSession',
    tag: 'Sessions',
    summary: 'Get a session',
    description: 'Returns one session of the account.',
    response: singleResponse(SessionDto),
    responseDescription: 'The session.',
  })
  async getSession(@CurrentToken() token: TokenPrincipal, @Param('id') id: string) {
    return { data: await this.sessions.getSession(token, id) };
  }
}
