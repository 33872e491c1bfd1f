import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../auth';
import { one, Operation, page } from '../common/http';
import { PageQuery } from '../common/pages';
import { {{Item}}Record } from './{{item-file}}-record';
import { {{Items}}Service } from './{{items-file}}.service';

/** The account's {{items words}} as the External API shows them. */
@Controller('external/v1/{{items-file}}')
export class {{Items}}Controller {
  constructor(private readonly service: {{Items}}Service) {}

  @Get()
  @RequireScopes('{{scope}}')
  @Operation({
    id: 'list{{Items}}',
    tag: '{{Items words}}',
    summary: 'List {{items words}}',
    description: "The account's {{items words}}, newest first.",
    answer: page({{Item}}Record),
    returns: 'A page of {{items words}}.',
  })
  list(@CurrentToken() token: TokenPrincipal, @Query() query: PageQuery) {
    return this.service.list(token.accountId, query);
  }

  @Get(':id')
  @RequireScopes('{{scope}}')
  @Operation({
    id: 'get{{Item}}',
    tag: '{{Items words}}',
    summary: 'Get {{a item}}',
    description: "One of the account's {{items words}}.",
    answer: one({{Item}}Record),
    returns: 'The {{item words}}.',
  })
  async get(@CurrentToken() token: TokenPrincipal, @Param('id') id: string) {
    return { data: await this.service.get(token.accountId, id) };
  }
}
