import { Body, Get, Post, Query } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { PageQueryDto } from '../../../common/pages';
import { Config } from '../../../core/config';
import { toAccountRecipient } from '../../../modules/event-access';
import { CreateWebhookDto, WebhooksService } from '../../../modules/webhooks';
import { createFormState, toRejectedForm, type FormState } from '../forms/form-state';
import { parseFormDto } from '../forms/parse-form-dto';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { FormFields } from '../html/read-page-form';
import type { Viewer } from '../html/viewer';
import { OwnerNameReader } from './owner-name-reader';
import { WebhookCreatedPage, WebhookForm } from './new-webhook-page';
import { toWebhookInput } from './webhook-input';
import { WebhookList } from './webhook-list';

/** Lists and creates webhooks (docs/guide/console.md#webhooks). */
@ConsoleController('console/webhooks')
export class WebhooksPagesController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly ownerNames: OwnerNameReader,
    private readonly config: Config,
  ) {}

  @Get()
  @BrowserOnly()
  async listWebhooks(@CurrentViewer() { accountId }: Viewer, @Query() query: PageQueryDto): Promise<HtmlPage> {
    const webhooks = await this.webhooks.listWebhooks(toAccountRecipient(accountId), query);
    const { publicUrl, webhooks: settings } = this.config;
    const { attemptTimeoutSeconds } = settings;
    const ownerNames = await this.ownerNames.readNames(accountId, webhooks.data);
    const { cursor } = query;
    const content = <WebhookList {...{ webhooks, ownerNames, cursor, publicUrl, attemptTimeoutSeconds }} />;
    return new HtmlPage(content, { title: 'Webhooks' });
  }

  @Get('new')
  @BrowserOnly()
  showWebhookForm(): HtmlPage {
    return this.renderForm(createFormState());
  }

  @Post()
  @BrowserOnly()
  async createWebhook(@CurrentViewer() { accountId }: Viewer, @Body() form: FormFields): Promise<HtmlPage> {
    try {
      const request = await parseFormDto(CreateWebhookDto, toWebhookInput(form));
      const { body } = await this.webhooks.createWebhook(toAccountRecipient(accountId), request);
      const heading = 'Your new webhook';
      const content = <WebhookCreatedPage heading={heading} webhook={body.data} secret={body.signingSecret!} />;
      return new HtmlPage(content, { title: heading });
    } catch (error) {
      return this.renderForm(toRejectedForm(form, error));
    }
  }

  private renderForm(form: FormState): HtmlPage {
    const content = (
      <WebhookForm
        form={form}
        urlRules={this.config.webhooks}
        heading="New webhook"
        parentLink={{ path: '/console/webhooks', text: 'Webhooks' }}
        action="/console/webhooks"
        submitLabel="Create webhook"
      />
    );
    return new HtmlPage(content, { title: 'New webhook', status: form.status });
  }
}
