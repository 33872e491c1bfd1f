import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../access/auth';
import { listResponse, Operation, singleResponse } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { {{Item}}Dto } from './{{item-file}}.response.dto';
import { {{Items}}Service } from './{{items-file}}.service';

/** The account's {{items words}} in the External API. */
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
    response: listResponse({{Item}}Dto),
    responseDescription: 'A page of {{items words}}.',
  })
  list{{Items}}(@CurrentToken() token: TokenPrincipal, @Query() query: PageQueryDto) {
    return this.service.list{{Items}}(token.accountId, query);
  }

  @Get(':id')
  @RequireScopes('{{scope}}')
  @Operation({
    id: 'get{{Item}}',
    tag: '{{Items words}}',
    summary: 'Get {{a item}}',
    description: "One of the account's {{items words}}.",
    response: singleResponse({{Item}}Dto),
    responseDescription: 'The {{item words}}.',
  })
  async get{{Item}}(@CurrentToken() token: TokenPrincipal, @Param('id') id: string) {
    return { data: await this.service.get{{Item}}(token.accountId, id) };
  }
}
