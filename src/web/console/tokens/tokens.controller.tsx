import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { MAX_PAGE_SIZE, PageQueryDto } from '../../../common/pages';
import { Config } from '../../../core/config';
import {
  CreateExternalTokenDto,
  PersonalAccessTokensService,
  RenamePersonalAccessTokenDto,
  RotatePersonalAccessTokenDto,
  type TokenWithSecretDto,
} from '../../../modules/personal-access-tokens';
import { MachinesService } from '../../../modules/machines';
import { UsageService } from '../../../modules/usage';
import { WebhooksService } from '../../../modules/webhooks';
import { parseFormDto } from '../forms/parse-form-dto';
import {
  createFormState,
  getFormList,
  getFormNumber,
  getFormSelection,
  toRejectedForm,
  getFormText,
  type FormState,
} from '../forms/form-state';
import { QueryText } from '../forms/query-text';
import { renderRenamePage } from '../forms/rename-page';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage, SeeOther } from '../html/html-page';
import { getFormField, type FormFields } from '../html/read-page-form';
import type { Viewer } from '../html/viewer';
import { buildLoopbackOrigin, buildTokenAddress, readLoopbackRecipient } from './loopback-recipient';
import { NewTokenPage, TOKEN_PRESETS } from './new-token-page';
import { isSharable, TokenCreatedPage, TokenList, TokenPage } from './token-pages';

class NewTokenQueryDto {
  /** Name of the scopes to select first. */
  @QueryText()
  preset?: string;

  /** Name to propose. */
  @QueryText()
  name?: string;

  /** With `port` and `state`: the program that gets the token. */
  @QueryText()
  key?: string;

  @QueryText()
  port?: string;

  @QueryText()
  state?: string;
}

/** Personal access tokens (docs/guide/console.md#tokens). */
@ConsoleController('console/tokens')
export class TokensController {
  constructor(
    private readonly tokens: PersonalAccessTokensService,
    private readonly machines: MachinesService,
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
  showTokenForm(@CurrentViewer() { accountId }: Viewer, @Query() query: NewTokenQueryDto): Promise<HtmlPage> {
    const { preset = '', ...fields } = query;
    const scopes = Object.hasOwn(TOKEN_PRESETS, preset) ? TOKEN_PRESETS[preset]!.scopes : ['sessions:read'];
    return this.renderNewTokenPage(accountId, createFormState({ ...fields, scopes: [...scopes], expiresInDays: '90' }));
  }

  @Post()
  @BrowserOnly()
  async createToken(@CurrentViewer() { accountId }: Viewer, @Body() form: FormFields): Promise<HtmlPage | SeeOther> {
    const recipient = await readLoopbackRecipient(form);
    try {
      const request = await parseFormDto(CreateExternalTokenDto, {
        name: getFormText(form, 'name'),
        scopes: getFormList(form, 'scopes'),
        machineIds: getFormSelection(form, 'machineIds'),
        expiresInDays: getFormNumber(form, 'expiresInDays'),
      });
      const created = await this.tokens.createPersonalAccessToken(accountId, request);
      if (recipient) return new SeeOther(await buildTokenAddress(recipient, created.token));
      return this.renderCreatedPage('Your new token', created);
    } catch (error) {
      return await this.renderNewTokenPage(accountId, toRejectedForm(form, error));
    }
  }

  @Get(':id')
  @BrowserOnly()
  async showToken(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<HtmlPage> {
    const token = await this.tokens.getPersonalAccessToken(accountId, id);
    const callCount = await this.usage.countTokenCalls(accountId, id);
    const lastUsedAddress = await this.tokens.getLastUsedAddress(accountId, id);
    const machineNames = await this.machines.findNames(accountId, token.machineIds ?? []);
    const content = (
      <TokenPage {...{ token, machineNames, callCount, lastUsedAddress, publicUrl: this.config.publicUrl }} />
    );
    const contentAssets = isSharable(token) ? { script: 'share-sessions.js', stylesheet: 'content.css' } : {};
    return new HtmlPage(content, { title: token.name, ...contentAssets });
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

  /** Offers the newest machines. An account can have more than a page of them, which the API accepts as well. */
  private async renderNewTokenPage(accountId: string, form: FormState): Promise<HtmlPage> {
    const recipient = await readLoopbackRecipient(form.values);
    const { data: machines } = await this.machines.listMachines(accountId, { limit: MAX_PAGE_SIZE });
    return new HtmlPage(<NewTokenPage {...{ form, machines, recipient }} />, {
      title: 'New token',
      status: form.status,
      // Chromium checks the redirect after a form submission, too.
      formAction: recipient ? [buildLoopbackOrigin(recipient)] : [],
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
