import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { BrowserOnly } from '../../../access/auth';
import { PageQueryDto } from '../../../common/pages';
import { Config } from '../../../core/config';
import {
  CreateExternalTokenDto,
  PersonalAccessTokensService,
  RenamePersonalAccessTokenDto,
  RotatePersonalAccessTokenDto,
  type TokenWithSecretDto,
} from '../../../modules/personal-access-tokens';
import { UsageService } from '../../../modules/usage';
import { WebhooksService } from '../../../modules/webhooks';
import { parseFormDto } from '../forms/parse-form-dto';
import {
  createFormState,
  getFormList,
  getFormNumber,
  toRejectedForm,
  getFormText,
  type FormState,
} from '../forms/form-state';
import { renderRenamePage } from '../forms/rename-page';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage, SeeOther } from '../html/html-page';
import { getFormField, type FormFields } from '../html/read-page-form';
import type { Viewer } from '../html/viewer';
import { isSharable, NewTokenPage, TOKEN_PRESETS, TokenCreatedPage, TokenList, TokenPage } from './token-pages';

class NewTokenQueryDto {
  /** Name of the scopes to select first. */
  @IsOptional()
  @MaxLength(100)
  @IsString()
  preset?: string;
}

/** Personal access tokens (docs/guide/console.md#tokens). */
@ConsoleController('console/tokens')
export class TokensController {
  constructor(
    private readonly tokens: PersonalAccessTokensService,
    private readonly webhooks: WebhooksService,
    private readonly usage: UsageService,
    private readonly config: Config,
  ) {}

  @Get()
  @BrowserOnly()
  async listTokens(@CurrentViewer() { accountId }: Viewer, @Query() query: PageQueryDto): Promise<HtmlPage> {
    const tokens = await this.tokens.listPersonalAccessTokens(accountId, query);
    const content = <TokenList tokens={tokens} cursor={query.cursor} publicUrl={this.config.publicUrl} />;
    return new HtmlPage(content, { title: 'Tokens' });
  }

  @Get('new')
  @BrowserOnly()
  showTokenForm(@Query() { preset = '' }: NewTokenQueryDto): HtmlPage {
    const scopes = Object.hasOwn(TOKEN_PRESETS, preset) ? TOKEN_PRESETS[preset]!.scopes : ['sessions:read'];
    return this.renderNewTokenPage(createFormState({ scopes: [...scopes], expiresInDays: '90' }));
  }

  @Post()
  @BrowserOnly()
  async createToken(@CurrentViewer() { accountId }: Viewer, @Body() form: FormFields): Promise<HtmlPage> {
    try {
      const request = await parseFormDto(CreateExternalTokenDto, {
        name: getFormText(form, 'name'),
        scopes: getFormList(form, 'scopes'),
        expiresInDays: getFormNumber(form, 'expiresInDays'),
      });
      return this.renderCreatedPage('Your new token', await this.tokens.createPersonalAccessToken(accountId, request));
    } catch (error) {
      return this.renderNewTokenPage(toRejectedForm(form, error));
    }
  }

  @Get(':id')
  @BrowserOnly()
  async showToken(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<HtmlPage> {
    const token = await this.tokens.getPersonalAccessToken(accountId, id);
    const callCount = await this.usage.countTokenCalls(accountId, id);
    const lastUsedAddress = await this.tokens.getLastUsedAddress(accountId, id);
    const content = <TokenPage {...{ token, callCount, lastUsedAddress, publicUrl: this.config.publicUrl }} />;
    const contentAssets = isSharable(token) ? { script: 'share-sessions.js', stylesheet: 'content.css' } : {};
    return new HtmlPage(content, { title: token.name, ...contentAssets });
  }

  @Get(':id/rename')
  @BrowserOnly()
  async showRenameForm(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<HtmlPage> {
    const { name } = await this.tokens.getPersonalAccessToken(accountId, id);
    return renderRenameTokenPage(id, name, createFormState({ name }));
  }

  @Post(':id/rename')
  @BrowserOnly()
  async renameToken(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
  ): Promise<HtmlPage | SeeOther> {
    const { name } = await this.tokens.getPersonalAccessToken(accountId, id);
    try {
      const changes = await parseFormDto(RenamePersonalAccessTokenDto, { name: getFormText(form, 'name') });
      await this.tokens.renamePersonalAccessToken(accountId, id, changes.name);
      return new SeeOther(`/console/tokens/${id}`);
    } catch (error) {
      return renderRenameTokenPage(id, name, toRejectedForm(form, error));
    }
  }

  @Post(':id/rotate')
  @BrowserOnly()
  async rotateToken(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
  ): Promise<HtmlPage> {
    const { overlapSeconds } = await parseFormDto(RotatePersonalAccessTokenDto, {
      overlapSeconds: getFormNumber(form, 'overlapSeconds'),
    });
    return this.renderCreatedPage(
      'New secret',
      await this.tokens.rotatePersonalAccessToken(accountId, id, overlapSeconds),
    );
  }

  @Post(':id/revoke')
  @BrowserOnly()
  async revokeToken(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
  ): Promise<SeeOther> {
    // Webhooks first: if this fails, the token still exists and the user can try again.
    if (getFormField(form, 'webhooks') === 'delete') await this.webhooks.deleteForToken(accountId, id);
    await this.tokens.revokePersonalAccessToken(accountId, id);
    return new SeeOther('/console/tokens');
  }

  private renderNewTokenPage(form: FormState): HtmlPage {
    return new HtmlPage(<NewTokenPage form={form} />, {
      title: 'New token',
      status: form.status,
    });
  }

  private renderCreatedPage(heading: string, { data, token }: TokenWithSecretDto): HtmlPage {
    const content = (
      <TokenCreatedPage heading={heading} token={data} secret={token} publicUrl={this.config.publicUrl} />
    );
    return new HtmlPage(content, { title: heading });
  }
}

function renderRenameTokenPage(id: string, name: string, form: FormState): HtmlPage {
  const path = `/console/tokens/${id}`;
  return renderRenamePage({ form, name, parentLink: { path, text: name }, action: `${path}/rename` });
}
