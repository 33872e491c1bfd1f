import {
{{#write}}
  Body,
{{/write}}
  Controller,
{{#write}}
  Delete,
{{/write}}
  Get,
{{#write}}
  HttpCode,
{{/write}}
  Param,
{{#write}}
  Patch,
  Post,
{{/write}}
  Query,
{{#write}}
  Req,
  Res,
{{/write}}
} from '@nestjs/common';
{{#write}}
import type { Request, Response } from 'express';
{{/write}}
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../access/auth';
{{#write}}
import { createIdempotentCall, IdempotencyKey } from '../../access/idempotency';
{{/write}}
import { listResponse, {{#write}}noContentResponse, {{/write}}Operation, singleResponse } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { {{Item}}Dto } from './{{item-file}}.response.dto';
{{#write}}
import { Create{{Item}}Dto, Update{{Item}}Dto } from './{{items-file}}.dto';
{{/write}}
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
{{#write}}

  @Post()
  @RequireScopes('{{write scope}}')
  @Operation({
    id: 'create{{Item}}',
    tag: '{{Items words}}',
    summary: 'Create {{a item}}',
    description: 'Creates {{a item}} of the account.',
    response: singleResponse({{Item}}Dto),
    responseDescription: 'The {{item words}}.',
    errorCodes: ['plan_limit_exceeded', 'conflict'],
  })
  async create{{Item}}(
    @CurrentToken() token: TokenPrincipal,
    @Body() body: Create{{Item}}Dto,
    @IdempotencyKey() idempotencyKey: string | null,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const idempotentCall = createIdempotentCall(token, body, idempotencyKey, request);
    const created = await this.service.create{{Item}}Once(token, body, idempotentCall);
    if (created.replayed) response.setHeader('Idempotency-Replayed', 'true');
    return created.body;
  }

  @Patch(':id')
  @RequireScopes('{{write scope}}')
  @Operation({
    id: 'update{{Item}}',
    tag: '{{Items words}}',
    summary: 'Change {{a item}}',
    description:
      'Changes the members of the body. With `expectedVersion`, only that version is changed, so that no concurrent ' +
      'change is lost.',
    response: singleResponse({{Item}}Dto),
    responseDescription: 'The {{item words}} after the change.',
    errorCodes: ['conflict'],
  })
  async update{{Item}}(
    @CurrentToken() token: TokenPrincipal,
    @Param('id') id: string,
    @Body() body: Update{{Item}}Dto,
  ) {
    return { data: await this.service.update{{Item}}(token, id, body) };
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('{{write scope}}')
  @Operation({
    id: 'delete{{Item}}',
    tag: '{{Items words}}',
    summary: 'Delete {{a item}}',
    description: 'Deletes the {{item words}}.',
    response: noContentResponse,
    responseDescription: 'The {{item words}} was deleted.',
  })
  delete{{Item}}(@CurrentToken() token: TokenPrincipal, @Param('id') id: string): Promise<void> {
    return this.service.delete{{Item}}(token, id);
  }
{{/write}}
}
