import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { SCOPE_NAMES, SessionOnly } from '../../auth';
import { PageQuery } from '../../common/pages';
import { Config } from '../../config';
import {
  CreateExternalTokenDto,
  ExternalTokensService,
  RotateExternalTokenDto,
  type TokenWithSecret,
} from '../../external-tokens';
import { WebhooksService } from '../../webhooks';
import { readDto } from '../forms/read-dto';
import { freshForm, listOf, numberOf, refusedForm, textOf, type FormState } from '../forms/form-state';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { Page, SeeOther } from '../html/page';
import { fieldOf, type FormFields } from '../html/read-form';
import type { Viewer } from '../html/viewer';
import { NewToken } from './new-token';
import { TokenList } from './token-list';
import { TokenPage } from './token-page';
import { TokenShown } from './token-shown';

/** Personal access tokens (console.md, Tokens). */
@ConsoleController('console/tokens')
export class TokensController {
  constructor(
    private readonly tokens: ExternalTokensService,
    private readonly webhooks: WebhooksService,
    private readonly config: Config,
  ) {}

  @Get()
  @SessionOnly()
  async list(@CurrentViewer() { accountId }: Viewer, @Query() query: PageQuery): Promise<Page> {
    const tokens = await this.tokens.list(accountId, query);
    const content = <TokenList tokens={tokens} cursor={query.cursor} publicUrl={this.config.publicUrl} />;
    return new Page(content, { title: 'Tokens' });
  }

  @Get('new')
  @SessionOnly()
  form(): Page {
    return this.newPage(freshForm({ scopes: ['sessions:read'], expiresInDays: '90' }));
  }

  @Post()
  @SessionOnly()
  async create(@CurrentViewer() { accountId }: Viewer, @Body() form: FormFields): Promise<Page> {
    try {
      const request = await readDto(CreateExternalTokenDto, {
        name: textOf(form, 'name'),
        scopes: listOf(form, 'scopes'),
        expiresInDays: numberOf(form, 'expiresInDays'),
      });
      return this.shownOnce('Your new token', await this.tokens.create(accountId, request));
    } catch (error) {
      return this.newPage(refusedForm(form, error));
    }
  }

  @Get(':id')
  @SessionOnly()
  async show(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<Page> {
    const token = await this.tokens.get(accountId, id);
    return new Page(<TokenPage token={token} />, { title: token.name });
  }

  @Post(':id/rotate')
  @SessionOnly()
  async rotate(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
  ): Promise<Page> {
    const { overlapSeconds } = await readDto(RotateExternalTokenDto, {
      overlapSeconds: numberOf(form, 'overlapSeconds'),
    });
    return this.shownOnce('The new secret', await this.tokens.rotate(accountId, id, overlapSeconds));
  }

  @Post(':id/revoke')
  @SessionOnly()
  async revoke(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
  ): Promise<SeeOther> {
    // First, so that whoever sees it fail is asked again.
    if (fieldOf(form, 'webhooks') === 'delete') await this.webhooks.removeForToken(accountId, id);
    await this.tokens.revoke(accountId, id);
    return new SeeOther('/console/tokens');
  }

  private newPage(form: FormState): Page {
    return new Page(<NewToken form={form} scopes={SCOPE_NAMES} />, {
      title: 'New token',
      status: form.status,
    });
  }

  private shownOnce(heading: string, { data, token }: TokenWithSecret): Page {
    const content = <TokenShown heading={heading} token={data} secret={token} publicUrl={this.config.publicUrl} />;
    return new Page(content, { title: heading });
  }
}
